import { describe, expect, it } from '@jest/globals';
import { advance } from './advance.js';
import {
  type Advance,
  type DeviceUpdate,
  type Goal,
  mayHavePackage,
  type SoftwareInstance,
  type UpdateEvent,
} from './device-update.js';

const goal: Goal = {
  object: 9,
  packageName: 'router',
  version: '2',
  retries: 0,
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

const free: SoftwareInstance = { instance: 0, name: '', version: '', state: 0, result: 0, isActive: false };
const other: SoftwareInstance = { instance: 3, name: 'camera', version: '2', state: 4, result: 2, isActive: true };
const old: SoftwareInstance = { instance: 7, name: 'router', version: '1', state: 4, result: 2, isActive: true };

/** The machine and a device. Time passes only until the machine wants to look at the device. */
class Device {
  update = waiting;
  asked: Advance['command'];
  private nowMs = 0;

  constructor(private readonly wanted: Goal = goal) {
    this.tell({ kind: 'started' });
  }

  tell(event: UpdateEvent): this {
    const packageSources = [{ scheme: 'coaps', baseUrl: 'coaps://host' }] as const;
    if (event.kind === 'due') this.nowMs = this.update.dueMs ?? this.nowMs;
    const { nowMs } = this;
    const next = advance(this.update, event, this.wanted, { nowMs, pollMinMs: 5_000, packageSources, transport: null });
    [this.update, this.asked] = [next.update, next.command];
    return this;
  }

  reports(...software: SoftwareInstance[]): this {
    return this.tell({ kind: 'answered', report: { software } });
  }

  answers(): this {
    return this.tell({ kind: 'answered', report: {} });
  }

  polled(reported: SoftwareInstance): this {
    return this.tell({ kind: 'due' }).reports(reported);
  }
}

describe('software', () => {
  it('is tried again in the instance of the attempt before, which has no name yet', () => {
    const device = new Device({ ...goal, retries: 1 }).reports(free).answers();
    const broken = { ...free, state: 2, result: 53 };
    expect(device.polled(broken).update.state).toBe('waiting');
    const again = device.tell({ kind: 'started' }).reports({ ...free, instance: 1 }, broken);
    expect(again.asked).toMatchObject({ kind: 'execute', path: '/9/0/6' });
  });

  it('is installed in a free instance, and activated', () => {
    const device = new Device();
    expect(device.asked).toMatchObject({ kind: 'read', path: '/9' });
    const uri = { kind: 'write-uri', path: '/9/0/3', baseUrl: 'coaps://host' };
    expect(device.reports(other, free).asked).toMatchObject(uri);
    expect(device.answers().update).toMatchObject({ step: 'download', instance: 0 });
    expect(device.tell({ kind: 'due' }).asked).toMatchObject({ kind: 'read', path: '/9/0' });
    device.reports({ ...free, state: 1, result: 1 });
    expect(device.polled({ ...free, state: 2, result: 1 }).update.step).toBe('download');
    expect(device.polled({ ...free, state: 3, result: 3 }).asked).toMatchObject({ kind: 'execute', path: '/9/0/4' });
    expect(device.answers().update.step).toBe('install');
    const installed = { instance: 0, name: 'router', version: '2', state: 4, result: 2 };
    expect(device.polled({ ...installed, isActive: false }).asked).toMatchObject({ kind: 'execute', path: '/9/0/10' });
    expect(device.answers().update.step).toBe('verify');
    expect(device.polled({ ...installed, isActive: false }).update.state).toBe('updating');
    expect(device.polled({ ...installed, isActive: true }).update).toMatchObject({
      state: 'succeeded',
      code: 'SYS_112',
    });
  });

  it('replaces another version in its instance', () => {
    const device = new Device().reports(free, old);
    expect(device.asked).toMatchObject({ kind: 'execute', path: '/9/7/6', argument: '1' });
    expect(device.update.previousVersion).toBe('1');
    expect(device.answers().asked).toMatchObject({ kind: 'write-uri', path: '/9/7/3' });
  });

  it('is not there while the device reports the version that it replaces', () => {
    const device = new Device().reports(old).answers().answers();
    expect(device.polled(old).update).toMatchObject({ state: 'updating', step: 'download' });
    expect(device.polled({ ...old, state: 3 }).asked).toMatchObject({ kind: 'execute', path: '/9/7/4' });
    expect(device.answers().polled(old).update).toMatchObject({ state: 'updating', step: 'install' });
    expect(device.polled({ ...old, version: '2' }).update.state).toBe('succeeded');
  });

  it('is not there when the device returns to the version that an earlier attempt has removed', () => {
    const device = new Device({ ...goal, retries: 1 }).reports(old).answers().answers();
    const empty = { ...free, instance: 7 };
    expect(device.polled({ ...empty, result: 53 }).update).toMatchObject({ state: 'waiting', previousVersion: '1' });
    expect(device.tell({ kind: 'started' }).reports(empty).asked).toMatchObject({ kind: 'write-uri', path: '/9/7/3' });
    expect(device.answers().polled({ ...old, state: 3 }).asked).toMatchObject({ kind: 'execute', path: '/9/7/4' });
    expect(device.answers().polled(old).update).toMatchObject({ state: 'updating', step: 'install' });
    device.polled({ ...old, version: '2' });
    expect(device.update).toMatchObject({ state: 'succeeded', previousVersion: '1' });
  });

  it('has failed if the device keeps the version that it replaces', () => {
    const device = new Device().reports(old).answers().answers();
    for (let poll = 0; poll < 3; poll++) device.polled(old);
    expect(device.update).toMatchObject({ state: 'failed', reason: 'download lost' });
  });

  it('counts as replaced on a device that names no version', () => {
    const unnamed = { ...old, version: '' };
    expect(new Device().reports(unnamed).answers().answers().polled(unnamed).update.state).toBe('succeeded');
  });

  it('what an earlier attempt left is removed first', () => {
    const device = new Device().reports({ ...old, state: 3 });
    expect(device.asked).toMatchObject({ kind: 'execute', path: '/9/7/6' });
    expect(device.asked).not.toHaveProperty('argument');
  });

  it('that is there is skipped, and activated if it is not active', () => {
    expect(new Device().reports({ ...old, version: '2' }).update).toMatchObject({ state: 'skipped', code: 'SYS_110' });
    const inactive = new Device().reports({ ...old, version: '2', isActive: false });
    expect(inactive.asked).toMatchObject({ kind: 'execute', path: '/9/7/10' });
    expect(inactive.answers().polled({ ...old, version: '2' }).update.state).toBe('succeeded');
  });

  it('that is there in one of several instances of its name is left alone in the others', () => {
    const active = { ...old, instance: 8, version: '2' };
    const inactive = { ...active, instance: 9, isActive: false };
    expect(new Device().reports(old, inactive, active).update).toMatchObject({ state: 'skipped', code: 'SYS_110' });
    expect(new Device().reports(old, inactive).asked).toMatchObject({ kind: 'execute', path: '/9/9/10' });
    expect(new Device().reports(free, old, { ...old, instance: 8 }).asked).toMatchObject({ path: '/9/7/6' });
  });

  it('that an attempt installed or activated, although it counts as failed, is not skipped by the next', () => {
    const refused = { kind: 'refused', error: 'SERVICE_UNAVAILABLE' } as const;
    const installed = new Device({ ...goal, retries: 1 }).reports(free).answers();
    installed.polled({ ...free, state: 3 }).tell(refused);
    expect(installed.update).toMatchObject({ state: 'waiting', attempt: 1 });
    installed.tell({ kind: 'started' }).reports({ ...old, instance: 0, version: '2' });
    expect(installed.update).toMatchObject({ state: 'succeeded', code: 'SYS_112', attempt: 2 });
    const activated = new Device({ ...goal, retries: 1 }).reports({ ...old, version: '2', isActive: false });
    expect(activated.tell(refused).update).toMatchObject({ state: 'waiting', attempt: 1 });
    activated.tell({ kind: 'started' }).reports({ ...old, version: '2' });
    expect(activated.update).toMatchObject({ state: 'succeeded', code: 'SYS_112', attempt: 2 });
  });

  it('is pushed where the campaign wants that', () => {
    expect(new Device({ ...goal, delivery: 'push' }).reports(free).asked).toMatchObject({
      kind: 'push',
      path: '/9/0/2',
    });
  });

  it.each([
    [51, 'out of memory'],
    [53, 'integrity check failed'],
    [99, 'result 99'],
  ])('result %d fails it: %s', (result, reason) => {
    const device = new Device()
      .reports(free)
      .answers()
      .polled({ ...free, result });
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_111', reason });
  });

  it('that cannot be installed fails', () => {
    const delivered = new Device()
      .reports(free)
      .answers()
      .polled({ ...free, state: 3 });
    const installing = delivered.answers().polled({ ...free, state: 3, result: 58 });
    expect(installing.update).toMatchObject({ state: 'failed', reason: 'installation failed' });
  });

  it('is installed and activated again where the device was not reached', () => {
    const device = new Device()
      .reports(free)
      .answers()
      .polled({ ...free, state: 3 });
    expect(device.tell({ kind: 'unanswered' }).update).toMatchObject({ step: 'execute', isCommandPending: false });
    expect(device.polled({ ...free, state: 3 }).asked).toMatchObject({ kind: 'execute', path: '/9/0/4' });
    device.tell({ kind: 'unanswered' }).polled({ ...free, version: '2', state: 4, isActive: false });
    expect(device.asked).toMatchObject({ kind: 'execute', path: '/9/0/10' });
    device.tell({ kind: 'unanswered' }).polled({ ...free, version: '2', state: 4, isActive: false });
    expect(device.asked).toMatchObject({ kind: 'execute', path: '/9/0/10' });
    device.tell({ kind: 'unanswered' }).polled({ ...free, version: '2', state: 4, isActive: true });
    expect(device.update.state).toBe('succeeded');
  });

  it('has the time of an installation for an execution that is in doubt, and again for its activation', () => {
    const device = new Device()
      .reports(free)
      .answers()
      .polled({ ...free, state: 3 });
    expect(device.update.deadlineMs).toBeNull();
    const { deadlineMs: installation } = device.tell({ kind: 'unanswered' }).update;
    expect(installation).toBeLessThan(goal.downloadTimeoutMs);
    device.polled({ ...free, state: 3 }).tell({ kind: 'unanswered' });
    expect(device.update.deadlineMs).toBe(installation);
    device.polled({ ...free, version: '2', state: 4, isActive: false });
    expect(device.update.deadlineMs).toBeNull();
    expect(device.tell({ kind: 'unanswered' }).update.deadlineMs).toBeGreaterThan(installation ?? Infinity);
  });

  it('has no place on a device whose object 9 cannot be read', () => {
    expect(new Device().tell({ kind: 'refused', error: 'UNAUTHORIZED' }).update).toMatchObject({
      state: 'failed',
      code: 'SYS_111',
      reason: 'object 9 cannot be read: UNAUTHORIZED',
    });
    // Whether it has instances is unknown: none is created.
    expect(new Device().answers().update).toMatchObject({ state: 'failed', reason: 'object 9 cannot be read' });
  });

  it('whose URI is refused is delivered if the device downloads already, and has failed otherwise', () => {
    const refused: UpdateEvent = { kind: 'refused', error: 'METHOD_NOT_ALLOWED' };
    const downloading = new Device()
      .reports(free)
      .tell(refused)
      .polled({ ...free, state: 1, result: 1 });
    expect(downloading.update).toMatchObject({ state: 'updating', reason: null });
    expect(downloading.polled({ ...free, state: 3 }).asked).toMatchObject({ kind: 'execute', path: '/9/0/4' });
    const idle = new Device().reports(free).tell(refused);
    for (let poll = 0; poll < 3; poll++) idle.polled({ ...free, result: 50 });
    expect(idle.update).toMatchObject({ state: 'failed', reason: 'package refused: METHOD_NOT_ALLOWED' });
  });

  it('whose URI is not answered has not failed by the result of an earlier package', () => {
    const earlier = { ...free, result: 54 };
    const device = new Device({ ...goal, retries: 1 }).reports(earlier).tell({ kind: 'unanswered' });
    for (let poll = 0; poll < 3; poll++) {
      expect(device.update).toMatchObject({ state: 'updating', step: 'download' });
      device.polled(earlier);
    }
    expect(device.update).toMatchObject({ state: 'waiting', attempt: 1, reason: 'no answer' });
  });

  it('whose polls are not answered is not idle', () => {
    const device = new Device().reports(free).answers();
    for (let poll = 0; poll < 5; poll++) device.tell({ kind: 'due' }).tell({ kind: 'unanswered' });
    expect(device.polled(free).polled(free).update).toMatchObject({ state: 'updating', step: 'download' });
    expect(device.polled(free).update).toMatchObject({ state: 'failed', reason: 'download lost' });
  });

  it('whose download is lost fails after a few polls', () => {
    const device = new Device().reports(free).answers();
    for (let poll = 0; poll < 4; poll++) if (device.update.state === 'updating') device.polled(free);
    expect(device.update).toMatchObject({ state: 'failed', reason: 'download lost' });
  });
});

describe('an instance of object 9', () => {
  const creates = (instance: number | null) => ({ kind: 'create', path: '/9', instance });
  const reads = { kind: 'read', path: '/9' };
  const refused = (error: string): UpdateEvent => ({ kind: 'refused', error });

  it('is created where a device has none, and used', () => {
    const device = new Device().reports();
    expect(device.asked).toMatchObject(creates(0));
    expect(device.update).toMatchObject({ step: 'create', isCommandPending: true });
    expect(device.answers().asked).toMatchObject(reads);
    expect(device.update.step).toBe('read-object');
    expect(device.reports(free).asked).toMatchObject({ kind: 'write-uri', path: '/9/0/3' });
    expect(device.answers().update).toMatchObject({ step: 'download', instance: 0, polls: 1 });
  });

  it('is created where object 9 is not found, as devices without an instance of it may answer', () => {
    expect(new Device().tell(refused('RESOURCE_NOT_FOUND')).asked).toMatchObject(creates(0));
  });

  it('is created beside those of other packages, with the first number that is not used', () => {
    const device = new Device().reports(other, { ...other, instance: 0 });
    expect(device.asked).toMatchObject(creates(1));
    device.answers().reports(other, { ...other, instance: 0 }, { ...free, instance: 1 });
    expect(device.asked).toMatchObject({ kind: 'write-uri', path: '/9/1/3' });
  });

  it('is not created where one has the package or is free, and not where the package cannot be delivered', () => {
    expect(new Device().reports(old).asked).toMatchObject({ kind: 'execute' });
    expect(new Device().reports(other, free).asked).toMatchObject({ kind: 'write-uri' });
    const context = { nowMs: 0, pollMinMs: 5_000, packageSources: [], transport: null };
    const started = advance(waiting, { kind: 'started' }, { ...goal, delivery: 'pull' }, context).update;
    const answered: UpdateEvent = { kind: 'answered', report: { software: [] } };
    expect(advance(started, answered, { ...goal, delivery: 'pull' }, context).update).toMatchObject({
      state: 'failed',
      reason: 'no delivery that the device supports',
    });
  });

  it('is chosen by the device where it chooses another number', () => {
    const device = new Device()
      .reports()
      .answers()
      .reports({ ...free, instance: 4 });
    expect(device.asked).toMatchObject({ kind: 'write-uri', path: '/9/4/3' });
    expect(device.update.instance).toBe(4);
  });

  it.each(['BAD_REQUEST', 'UNSUPPORTED_CONTENT_FORMAT'])('is created without a number after %s', (error) => {
    const device = new Device().reports().tell(refused(error));
    expect(device.asked).toMatchObject(creates(null));
    expect(device.answers().reports(free).asked).toMatchObject({ kind: 'write-uri', path: '/9/0/3' });
    const failed = new Device({ ...goal, retries: 3 }).reports().tell(refused(error)).tell(refused(error));
    expect(failed.update).toMatchObject({
      state: 'failed',
      reason: `no instance of object 9 is free, and none can be created: ${error}`,
    });
  });

  it.each(['METHOD_NOT_ALLOWED', 'RESOURCE_NOT_FOUND'])('that the device refuses with %s fails it', (error) => {
    const device = new Device({ ...goal, retries: 3 }).reports(other).tell(refused(error));
    expect(device.update).toMatchObject({
      state: 'failed',
      code: 'SYS_111',
      reason: `no instance of object 9 is free, and none can be created: ${error}`,
    });
  });

  it('that the device cannot create for now is created by the next attempt', () => {
    const device = new Device({ ...goal, retries: 1 }).reports().tell(refused('SERVICE_UNAVAILABLE'));
    expect(device.update.state).toBe('waiting');
    expect(mayHavePackage(device.update)).toBe(false);
    expect(device.tell({ kind: 'started' }).reports().asked).toMatchObject(creates(0));
  });

  it('whose Create was not answered is looked for first, and created again only if it is not there', () => {
    const device = new Device().reports().tell({ kind: 'unanswered' });
    expect(device.asked).toMatchObject(reads);
    expect(device.reports(free).asked).toMatchObject({ kind: 'write-uri', path: '/9/0/3' });
    const again = new Device().reports().tell({ kind: 'unanswered' }).reports();
    expect(again.asked).toMatchObject(creates(0));
    expect(again.tell({ kind: 'unanswered' }).asked).toMatchObject(reads);
    expect(again.reports().update).toMatchObject({
      state: 'failed',
      reason: 'no instance of object 9 is free, and the device has created none',
    });
  });

  it('whose Create has no result in time is looked for as well', () => {
    expect(new Device().reports().tell({ kind: 'due' }).asked).toMatchObject(reads);
  });

  it('is not created a second time where the device says that it has, but lists none', () => {
    const device = new Device({ ...goal, retries: 3 }).reports().answers().reports();
    expect(device.update).toMatchObject({ state: 'failed', code: 'SYS_111' });
  });

  it('whose first Create took effect late is looked for when the second is refused, and none is created beside it', () => {
    const device = new Device({ ...goal, retries: 3 }).reports().tell({ kind: 'unanswered' }).reports();
    expect(device.asked).toMatchObject(creates(0));
    expect(device.tell(refused('BAD_REQUEST')).asked).toMatchObject(reads);
    expect(device.reports(free).asked).toMatchObject({ kind: 'write-uri', path: '/9/0/3' });
  });

  it('without a name is used again when its package has failed', () => {
    const device = new Device().reports(other, { instance: 3, state: 1, result: 53 });
    expect(device.asked).toMatchObject({ kind: 'execute', path: '/9/3/6' });
  });

  it('that an attempt created without knowing it is the free one of the next', () => {
    const device = new Device({ ...goal, retries: 1 }).reports().tell({ kind: 'unanswered' });
    expect(device.tell({ kind: 'unanswered' }).update).toMatchObject({ state: 'waiting', reason: 'no answer' });
    expect(device.tell({ kind: 'started' }).asked).toMatchObject(reads);
    expect(device.reports(free).asked).toMatchObject({ kind: 'write-uri', path: '/9/0/3' });
  });
});
