import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { advance } from './advance.js';
import {
  type Advance,
  type DeviceUpdate,
  type Goal,
  mayHavePackage,
  type Report,
  type UpdateEvent,
} from './device-update.js';

const goal: Goal = {
  object: 5,
  packageName: null,
  version: '2',
  retries: 1,
  delivery: 'auto',
  downloadTimeoutMs: 3_600_000,
  installTimeoutMs: 600_000,
};

const waiting: DeviceUpdate = {
  state: 'waiting',
  step: null,
  attempt: 0,
  deadlineMs: null,
  dueMs: null,
  polls: 0,
  isCommandPending: false,
  delivery: null,
  packageSource: null,
  previousVersion: null,
  instance: null,
  code: null,
  reason: null,
};

const coap = { scheme: 'coap', baseUrl: 'coap://host' } as const;
const coaps = { scheme: 'coaps', baseUrl: 'coaps://host' } as const;

/** One device under the machine: what it is asked, and where it is. */
class Device {
  readonly clock = new TestClock();
  update = waiting;
  asked: Advance['command'];
  wasCancelled = false;
  transport: string | null = null;

  constructor(
    readonly wanted: Goal = goal,
    readonly packageSources: readonly (typeof coap | typeof coaps)[] = [coap, coaps],
  ) {}

  tell(event: UpdateEvent): this {
    const { clock, packageSources, transport } = this;
    const context = { nowMs: clock.now(), pollMinMs: 5_000, packageSources, transport };
    const next = advance(this.update, event, this.wanted, context);
    [this.update, this.asked, this.wasCancelled] = [next.update, next.command, next.isCancelled ?? false];
    return this;
  }

  answer(report: Report = {}): this {
    return this.tell({ kind: 'answered', report });
  }

  /** Time passes until the machine wants to look at the device. */
  async wait(): Promise<this> {
    const { dueMs } = this.update;
    if (dueMs === null) throw new Error('the machine waits for nothing');
    await this.clock.advance(dueMs - this.clock.now());
    return this.tell({ kind: 'due' });
  }

  /** Reads its version and object 5 until it is offered the package. */
  offered(report: Report = { state: 0, result: 0 }): this {
    return this.tell({ kind: 'started' }).answer({ version: '1' }).answer(report);
  }

  async downloaded(): Promise<this> {
    this.offered().answer();
    return (await this.wait()).answer({ state: 2, result: 0 });
  }
}

describe('an update by pull', () => {
  it('reads, writes the URI, polls, executes, and ends by the result', async () => {
    const device = new Device().tell({ kind: 'started' });
    expect(device.asked).toMatchObject({ kind: 'read', path: '/3/0/3' });
    expect(device.answer({ version: '1' }).asked).toMatchObject({ kind: 'read', path: '/5/0' });
    expect(device.answer({ state: 0, result: 0 }).asked).toMatchObject({ kind: 'write-uri', baseUrl: 'coap://host' });
    expect(device.answer().update).toMatchObject({ step: 'download', isCommandPending: false, previousVersion: '1' });
    expect((await device.wait()).asked).toMatchObject({ kind: 'read', path: '/5/0' });
    device.answer({ state: 1, result: 0 });
    expect((await device.wait()).answer({ state: 2 }).asked).toMatchObject({ kind: 'execute' });
    expect(device.answer().update).toMatchObject({ step: 'install' });
    expect((await device.wait()).answer({ state: 0, result: 1 }).update).toMatchObject({
      state: 'succeeded',
      code: 'SYS_112',
      dueMs: null,
    });
  });

  it('polls with growing pauses, and at once when the device registers', async () => {
    const device = new Device().offered().answer();
    const pauses = [];
    for (let n = 0; n < 8; n++) {
      const fromMs = device.clock.now();
      (await device.wait()).answer({ state: 1 });
      pauses.push((device.clock.now() - fromMs) / 1_000);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    expect(device.tell({ kind: 'registered' }).update.dueMs).toBe(device.clock.now());
  });

  it('prefers the scheme by which the device is connected, among those that it supports', () => {
    const device = new Device();
    device.transport = 'coaps';
    expect(device.offered().asked).toMatchObject({ baseUrl: 'coaps://host' });
    const other = new Device();
    other.transport = 'coaps';
    expect(other.offered({ state: 0, protocols: [0] }).asked).toMatchObject({ baseUrl: 'coap://host' });
  });

  it('a device that forgets its result in the reboot is known by its version', async () => {
    const device = (await new Device().downloaded()).answer();
    expect((await device.wait()).answer({ state: 0, result: 0 }).asked).toMatchObject({ path: '/3/0/3' });
    expect(device.answer({ version: '2' }).update.code).toBe('SYS_112');
  });

  it('a device that refuses the URI because it downloads already is polled like any other', async () => {
    const device = new Device({ ...goal, retries: 0 }).offered().tell({ kind: 'refused', error: 'METHOD_NOT_ALLOWED' });
    expect(device.update).toMatchObject({ state: 'updating', step: 'download' });
    expect((await device.wait()).answer({ state: 1, result: 0 }).update).toMatchObject({
      step: 'download',
      reason: null,
    });
    expect((await device.wait()).answer({ state: 2, result: 0 }).asked).toMatchObject({ kind: 'execute' });
  });

  it('a device that refuses the URI and stays idle has failed by that, and not by the result of an earlier update', async () => {
    const device = new Device().offered({ state: 0, result: 6 }).tell({ kind: 'refused', error: 'BAD_REQUEST' });
    for (let n = 0; n < 3; n++) (await device.wait()).answer({ state: 0, result: 6 });
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'package refused: BAD_REQUEST' });
  });

  it('a device that did not answer the URI has not failed by the result of an earlier update', async () => {
    const device = new Device().offered({ state: 0, result: 6 }).tell({ kind: 'unanswered' });
    for (let n = 0; n < 3; n++) {
      expect(device.update).toMatchObject({ state: 'updating', step: 'download' });
      (await device.wait()).answer({ state: 0, result: 6 });
    }
    expect(device.update).toMatchObject({ state: 'waiting', attempt: 1, reason: 'no answer' });
  });

  it('a device that did not answer the URI, and downloads, fails by its result', async () => {
    const device = new Device().offered({ state: 0, result: 6 }).tell({ kind: 'unanswered' });
    (await device.wait()).answer({ state: 1, result: 0 });
    (await device.wait()).answer({ state: 0, result: 5 });
    expect(device.update).toMatchObject({ state: 'waiting', attempt: 1, reason: 'integrity check failed' });
  });

  it.each([
    ['2', { state: 'succeeded', code: 'SYS_112', reason: null }],
    ['1', { state: 'waiting', reason: 'package refused: METHOD_NOT_ALLOWED' }],
  ])('a device that refuses the URI and reports a success is known by its version: %s', async (version, expected) => {
    const device = new Device().offered().tell({ kind: 'refused', error: 'METHOD_NOT_ALLOWED' });
    for (let n = 0; n < 3; n++) (await device.wait()).answer({ state: 0, result: 1 });
    expect(device.asked).toMatchObject({ path: '/3/0/3' });
    expect(device.answer({ version }).update).toMatchObject(expected);
  });

  it('an installation that the device defers is waited for', async () => {
    const device = (await new Device().downloaded()).answer();
    (await device.wait()).answer({ state: 2, result: 11 });
    expect(device.update).toMatchObject({ state: 'updating', step: 'install' });
    (await device.wait()).answer({ state: 3, result: 0 });
    expect((await device.wait()).answer({ state: 0, result: 1 }).update.code).toBe('SYS_112');
  });

  it.each([
    ['2', { state: 'succeeded', code: 'SYS_112' }],
    ['1', { state: 'waiting', reason: 'not installed: the version is 1' }],
  ])('a device that installs without an execution is known by its version: %s', async (version, expected) => {
    const device = new Device().offered({ state: 0, result: 1 }).answer();
    for (let n = 0; n < 3; n++) (await device.wait()).answer({ state: 1, result: 0 });
    expect((await device.wait()).answer({ state: 0, result: 1 }).asked).toMatchObject({ path: '/3/0/3' });
    expect(device.answer({ version }).update).toMatchObject(expected);
  });

  it.each([
    [{ state: 3, result: 0 }, { step: 'install' }],
    [{ state: 2, result: 11 }, { step: 'install' }],
    [
      { state: 0, result: 1 },
      { state: 'succeeded', code: 'SYS_112' },
    ],
    [
      { state: 2, result: 8 },
      { state: 'waiting', reason: 'update failed' },
    ],
  ])('the lost answer to an execution is no failure: %j', async (report, expected) => {
    const device = (await new Device().downloaded()).tell({ kind: 'unanswered' });
    expect(device.update).toMatchObject({ step: 'execute', isCommandPending: false });
    expect((await device.wait()).answer(report).update).toMatchObject(expected);
  });

  it('an execution that did not arrive is repeated, when the device registers or after a pause', async () => {
    const device = (await new Device().downloaded()).tell({ kind: 'unanswered' }).tell({ kind: 'registered' });
    expect(device.update.dueMs).toBe(device.clock.now());
    expect((await device.wait()).asked).toMatchObject({ kind: 'read', path: '/5/0' });
    device.tell({ kind: 'unanswered' });
    expect((await device.wait()).answer({ state: 2, result: 0 }).asked).toMatchObject({
      kind: 'execute',
      path: '/5/0/2',
    });
    expect(device.answer().update).toMatchObject({ step: 'install' });
  });

  it('an execution that is never answered ends after the time of an installation, not of the download', async () => {
    const device = await new Device({ ...goal, retries: 0 }).downloaded();
    const fromMs = device.clock.now();
    for (let n = 0; n < 5_000 && device.update.state === 'updating'; n++) {
      if (device.asked?.kind === 'execute') device.tell({ kind: 'unanswered' });
      else if (device.update.isCommandPending) device.answer({ state: 2, result: 0 });
      else await device.wait();
    }
    expect(device.update).toMatchObject({ state: 'failed', reason: 'execute took too long' });
    expect(device.clock.now() - fromMs).toBe(goal.installTimeoutMs);
  });
});

describe('push', () => {
  it('where the device supports nothing else, with the time of a download', () => {
    const device = new Device().offered({ state: 0, deliveryMethod: 1 });
    expect(device.asked).toEqual({ kind: 'push', path: '/5/0/0', expiryMs: goal.downloadTimeoutMs });
    expect(device.answer().update).toMatchObject({ step: 'download', delivery: 'push' });
  });

  it('where no URI has a protocol that the device supports', () => {
    expect(new Device().offered({ state: 0, protocols: [3], deliveryMethod: 2 }).asked).toMatchObject({ kind: 'push' });
    expect(new Device(goal, []).offered({ state: 0 }).asked).toMatchObject({ kind: 'push' });
  });

  it('that the device refuses has failed', () => {
    const device = new Device({ ...goal, delivery: 'push' }).offered().tell({ kind: 'refused', error: 'FORBIDDEN' });
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'package refused: FORBIDDEN' });
  });

  it('that takes too long has failed: the device is not unreachable, because it took blocks', () => {
    const device = new Device({ ...goal, retries: 0, delivery: 'push' }).offered();
    expect(device.tell({ kind: 'refused', error: 'PUSH_TIMEOUT' }).update).toMatchObject({
      state: 'failed',
      code: 'SYS_111',
      reason: 'push took too long',
    });
  });

  it('is not done against the campaign', () => {
    const device = new Device({ ...goal, delivery: 'pull' }).offered({ state: 0, deliveryMethod: 1 });
    expect(device.update).toMatchObject({ state: 'failed', reason: 'no delivery that the device supports' });
  });
});

describe('devices that are not updated', () => {
  it('are skipped at the wanted version', () => {
    const device = new Device().tell({ kind: 'started' }).answer({ version: '2' });
    expect(device.update).toMatchObject({ state: 'skipped', code: 'SYS_110' });
  });

  it.each(['RESOURCE_NOT_FOUND', 'NOT_ACCEPTABLE', 'BAD_OPTION', 'NOT_IMPLEMENTED'])(
    'fail at once if object 5 can never be read: %s',
    (error) => {
      const device = new Device().tell({ kind: 'started' }).answer({ version: '1' });
      device.tell({ kind: 'refused', error });
      expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_111', attempt: 1 });
    },
  );

  it('fail at once when they are suspended, and their command is cancelled', () => {
    const device = new Device().offered();
    device.tell({ kind: 'ended', state: 'failed', code: 'SYS_111', reason: 'the device is suspended' });
    expect(device.update).toMatchObject({ state: 'failed', reason: 'the device is suspended', dueMs: null });
    expect(device.wasCancelled).toBe(true);
  });
});

describe('what an earlier update left', () => {
  it.each([1, 2])('state %i is reset first', (state) => {
    const device = new Device().offered({ state });
    expect(device.asked).toMatchObject({ kind: 'reset', delivery: 'pull' });
    expect(device.answer().asked).toMatchObject({ kind: 'write-uri' });
  });
});

describe('failures', () => {
  it('are tried again after a pause, as often as the campaign says', async () => {
    const device = new Device().offered().answer();
    (await device.wait()).answer({ state: 0, result: 5 });
    expect(device.update).toMatchObject({ state: 'waiting', attempt: 1, reason: 'integrity check failed' });
    expect(device.update.dueMs).toBe(device.clock.now() + 60_000);
    device.offered().answer();
    (await device.wait()).answer({ state: 0, result: 5 });
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_111', attempt: 2 });
  });

  it('that another attempt would repeat are final', async () => {
    const device = new Device().offered().answer();
    (await device.wait()).answer({ state: 0, result: 6 });
    expect(device.update).toMatchObject({ state: 'failed', reason: 'unsupported package type', attempt: 1 });
  });

  it.each([5, 9] as const)('a device that cannot be asked for object %i now is asked by the next attempt', (object) => {
    const device = new Device({ ...goal, object }).tell({ kind: 'started' });
    if (object === 5) device.answer({ version: '1' });
    device.tell({ kind: 'refused', error: 'SERVICE_UNAVAILABLE' });
    const reason = `object ${object} cannot be read: SERVICE_UNAVAILABLE`;
    expect(device.update).toMatchObject({ state: 'waiting', attempt: 1, reason });
  });

  it('a download that was lost in a reboot is begun again', async () => {
    const device = new Device().offered().answer();
    for (let n = 0; n < 3; n++) (await device.wait()).answer({ state: 1 });
    (await device.wait()).answer({ state: 0, result: 0 });
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'download lost' });
  });

  it('a download is not lost because polls were not answered: the device is idle when it says so three times', async () => {
    const device = new Device({ ...goal, retries: 0 }).offered().answer();
    for (let n = 0; n < 5; n++) {
      const fromMs = device.clock.now();
      (await device.wait()).tell({ kind: 'unanswered' });
      expect(device.clock.now() - fromMs).toBe(n === 0 ? 5_000 : 40_000);
    }
    for (let n = 0; n < 2; n++) (await device.wait()).answer({ state: 0, result: 0 });
    expect(device.update).toMatchObject({ state: 'updating', step: 'download' });
    (await device.wait()).answer({ state: 0, result: 0 });
    expect(device.update).toMatchObject({ state: 'failed', reason: 'download lost' });
  });

  it('a device that never answers could not be reached', () => {
    const device = new Device({ ...goal, retries: 0 }).tell({ kind: 'started' }).tell({ kind: 'unanswered' });
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_100' });
  });

  it('a download ends with its time, whatever the device says', async () => {
    const device = new Device({ ...goal, retries: 0 }).offered().answer();
    while (device.update.state === 'updating') {
      await device.wait();
      if (device.update.isCommandPending) device.answer({ state: 1 });
    }
    expect(device.update).toMatchObject({ state: 'failed', reason: 'download took too long' });
    expect(device.clock.now() - new TestClock().now()).toBe(goal.downloadTimeoutMs);
  });

  it('a command without a result uses up no attempt: the device may not have been asked', async () => {
    const device = new Device({ ...goal, retries: 0 });
    for (let n = 0; n < 5; n++) {
      await device.tell({ kind: 'started' }).wait();
      expect(device.update).toMatchObject({ state: 'waiting', attempt: 0, reason: 'no answer' });
      expect(device.update.dueMs).toBe(device.clock.now() + 60_000);
      expect(device.wasCancelled).toBe(true);
    }
    device.tell({ kind: 'started' }).tell({ kind: 'unanswered' });
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_100', attempt: 1 });
  });

  it('a push without a result uses up an attempt: the device may have the package', async () => {
    const device = new Device({ ...goal, retries: 0, delivery: 'push' }).offered();
    await device.wait();
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_100', attempt: 1 });
    expect(device.wasCancelled).toBe(true);
  });

  it('an update after which the version is another one has failed', async () => {
    const device = (await new Device({ ...goal, retries: 0 }).downloaded()).answer();
    (await device.wait()).answer({ state: 0, result: 0 }).answer({ version: '1' });
    expect(device.update).toMatchObject({ state: 'failed', reason: 'not installed: the version is 1' });
  });

  it('a device that installed after its attempt had ended has succeeded with the next one', async () => {
    const device = (await new Device().downloaded()).answer();
    while (device.update.state === 'updating') await device.wait();
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'install took too long' });
    device.tell({ kind: 'started' }).answer({ version: '2' });
    expect(device.update).toMatchObject({ state: 'succeeded', code: 'SYS_112', attempt: 2, previousVersion: '1' });
  });

  it('a device that another update brought to the wanted version between two attempts is skipped', () => {
    const device = new Device().offered({ state: 3 });
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'another update is under way' });
    device.tell({ kind: 'started' }).answer({ version: '2' });
    expect(device.update).toMatchObject({ state: 'skipped', code: 'SYS_110', attempt: 2, previousVersion: '2' });
  });

  it('a device that refused the reset was not offered the package', () => {
    const device = new Device();
    expect(mayHavePackage(device.offered({ state: 2 }).update)).toBe(false);
    device.tell({ kind: 'refused', error: 'SERVICE_UNAVAILABLE' });
    expect(device.update).toMatchObject({ state: 'waiting', reason: 'reset refused: SERVICE_UNAVAILABLE' });
    expect(mayHavePackage(device.update)).toBe(false);
    device.tell({ kind: 'started' }).answer({ version: '2' });
    expect(device.update).toMatchObject({ state: 'skipped', code: 'SYS_110', attempt: 2, previousVersion: '2' });
  });

  it('a device that an earlier attempt offered the package may have it in all later ones', async () => {
    const device = new Device({ ...goal, retries: 2 }).offered().answer();
    (await device.wait()).answer({ state: 0, result: 5 });
    expect(mayHavePackage(device.update)).toBe(true);
    expect(mayHavePackage(device.offered({ state: 2 }).update)).toBe(true);
  });
});

it('nothing moves a device that has finished', () => {
  const device = new Device().tell({ kind: 'started' }).answer({ version: '2' });
  const { update } = device;
  for (const kind of ['due', 'registered', 'unanswered', 'started'] as const)
    expect(device.tell({ kind }).update).toBe(update);
});
