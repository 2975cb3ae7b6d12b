import { describe, expect, it } from '@jest/globals';
import { advance } from './advance.js';
import type { Advance, DeviceUpdate, Goal, SoftwareInstance, UpdateEvent } from './device-update.js';

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
  isAsked: false,
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
    expect(device.tell({ kind: 'unanswered' }).update).toMatchObject({ step: 'execute', isAsked: false });
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

  it('has no place on a device without a free instance, and none without object 9', () => {
    expect(new Device().reports(other).update).toMatchObject({ state: 'failed', code: 'SYS_111' });
    expect(new Device().tell({ kind: 'refused', error: 'RESOURCE_NOT_FOUND' }).update).toMatchObject({
      state: 'failed',
      reason: 'object 9 cannot be read: RESOURCE_NOT_FOUND',
    });
  });

  it('whose download is lost fails after a few polls', () => {
    const device = new Device().reports(free).answers();
    for (let poll = 0; poll < 4; poll++) if (device.update.state === 'updating') device.polled(free);
    expect(device.update).toMatchObject({ state: 'failed', reason: 'download lost' });
  });
});
