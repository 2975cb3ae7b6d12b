import { DeviceLifecycle, type DeviceLifecycleChanged } from '@lanyard/contracts';
import { formatTimestamp, newId, poolOf } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { changesSweepMs } from '../src/commands/limits.js';
import { DeviceDirectory } from '../src/state/device-directory.js';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

const fleetSize = 400;

describe('a fleet that is suspended or deleted in one go', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('disconnects');
    // On its clock nothing is done now and then, whose transactions would count too.
    proxy = await system.proxy('dp-0', { clock: new TestClock(Date.now()) });
  });
  afterAll(() => system.close());

  /**
   * Transactions in the database so far. A session of PostgreSQL reports its transactions once a second, and the last
   * ones only when it has been idle for ten seconds, unless it is told to.
   */
  const transactions = async (): Promise<number> => {
    const pool = poolOf(proxy.app.get(DataSource, { strict: false }));
    // At the same time, so that each session of the replica gets one.
    await Promise.all(Array.from({ length: pool.totalCount }, () => pool.query('SELECT pg_stat_force_next_flush()')));
    const [row] = await system.rows(
      'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return (row as { n: number }).n;
  };

  it.each([
    ['suspended', 'DEVICE_BLOCKED'],
    ['deleted', 'DEVICE_REMOVED_REGISTRATION'],
  ] as const)('%s: commands fail, and the database is asked for many together', async (change, error) => {
    const app = newKey(system.accountId);
    const fleet = Array.from({ length: fleetSize }, () => newId());
    const all = (what: typeof change | 'created'): Promise<unknown> =>
      Promise.all(fleet.map((id) => system.lifecycle(id, id, what)));
    await all('created');
    const waiting = [fleet[0], fleet[fleetSize / 2], fleet[fleetSize - 1]] as string[];
    for (const id of waiting)
      await eventually(async () => {
        const path = `/v2/device-requests/${id}?async-id=${id}`;
        const { status } = await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' });
        expect(status).toBe(202);
      });
    const before = await transactions();
    await all(change);
    for (const id of waiting)
      expect((await system.result(id)).value).toMatchObject({ outcome: 'failed', item: { status: 429, error } });
    expect((await transactions()) - before).toBeLessThan(fleetSize / 2);
  });
});

describe('a device that is resumed before everything is done that its suspension requires', () => {
  const clock = new TestClock(Date.now());
  const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('resumed-early');
    proxy = await system.proxy('dp-0', { clock });
  });
  afterAll(() => system.close());

  const send = async (deviceId: string, asyncId: string): Promise<void> => {
    const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
    const body = { method: 'GET', uri: '/3/0/0' };
    expect((await system.call(proxy, newKey(system.accountId), 'POST', path, body)).status).toBe(202);
  };
  const resumed = async (deviceId: string, name: string): Promise<void> => {
    const directory = proxy.app.get(DeviceDirectory, { strict: false });
    await eventually(() => expect(directory.whyBlocked(deviceId)).toBe('suspended'));
    await system.lifecycle(deviceId, name, 'resumed');
    await eventually(() => expect(directory.whyBlocked(deviceId)).toBeUndefined());
  };

  /** Keeps both turns for failing commands: the commands of other suspended devices wait until the result is called. */
  const holdTurns = async (): Promise<() => Promise<void>> => {
    const others = [newId(), newId()];
    for (const id of others) {
      await system.lifecycle(id, id, 'created');
      await eventually(() => send(id, id));
    }
    const unlock = await system.holdRows(
      `SELECT FROM device_proxy.commands WHERE device_id IN ('${others.join("', '")}') FOR UPDATE`,
    );
    for (const id of others) await system.lifecycle(id, id, 'suspended');
    await eventually(async () => expect(await system.rows(`SELECT pid ${waiting}`)).toHaveLength(2));
    return unlock;
  };
  /** `n`: orders the changes of the device; their revisions are higher than those of the test system. */
  const announce = (
    device: Pick<DeviceLifecycleChanged, 'deviceId' | 'endpointName'>,
    n: number,
    change: DeviceLifecycleChanged['change'],
    changedAtMs: number,
  ): Promise<void> =>
    system.announce(DeviceLifecycle, {
      ...device,
      accountId: system.accountId,
      change,
      endpointType: `type-${n}`,
      lifecycleStatus: change === 'suspended' ? 'blocked' : 'enabled',
      revision: 1_000 + n,
      changedAt: formatTimestamp(changedAtMs),
    });
  const isRead = (deviceId: string, n: number): Promise<unknown> => {
    const directory = proxy.app.get(DeviceDirectory, { strict: false });
    return eventually(() => expect(directory.get(deviceId)?.endpointType).toBe(`type-${n}`));
  };

  it('its waiting commands fail, and those that are accepted from then on are executed', async () => {
    const thing = system.thing(proxy, 'early');
    const deviceId = await system.register(thing);
    await thing.device.deregister();
    await eventually(() => send(deviceId, 'before'));
    const unlock = await holdTurns();
    await system.lifecycle(deviceId, 'early', 'suspended');
    await resumed(deviceId, 'early');
    await clock.advance(1_000);
    await send(deviceId, 'after');
    await unlock();
    expect((await system.result('before')).value.item).toMatchObject({ status: 429, error: 'DEVICE_BLOCKED' });
    await eventually(() => thing.device.register());
    expect((await system.result('after')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('a command that was accepted after its resumption is executed, though both are read later', async () => {
    const thing = system.thing(proxy, 'late');
    const deviceId = await system.register(thing);
    await thing.device.deregister();
    await eventually(() => send(deviceId, 'earlier'));
    await clock.advance(3_000);
    await send(deviceId, 'later');
    const unlock = await holdTurns();
    const device = { deviceId, endpointName: 'late' };
    await announce(device, 1, 'suspended', clock.now() - 2_000);
    await isRead(deviceId, 1);
    await announce(device, 2, 'resumed', clock.now() - 1_000);
    await isRead(deviceId, 2);
    await unlock();
    expect((await system.result('earlier')).value.item).toMatchObject({ status: 429, error: 'DEVICE_BLOCKED' });
    await eventually(() => thing.device.register());
    expect((await system.result('later')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('its next session stays when a failure of PostgreSQL is over', async () => {
    const thing = system.thing(proxy, 'again');
    const deviceId = await system.register(thing);
    const unlock = await system.holdRows('LOCK TABLE device_proxy.commands IN ACCESS EXCLUSIVE MODE');
    await system.lifecycle(deviceId, 'again', 'suspended');
    await eventually(async () => expect(await system.rows(`SELECT pid ${waiting}`)).not.toEqual([]));
    await resumed(deviceId, 'again');
    await system.rows(`SELECT pg_terminate_backend(pid) ${waiting}`);
    await unlock();
    await eventually(() => thing.device.register());
    await clock.advance(10_000);
    await send(deviceId, 'again');
    expect((await system.result('again')).value).toMatchObject({ outcome: 'succeeded' });
    const ends = system.sessions.filter(({ value }) => value.deviceId === deviceId && value.reason !== undefined);
    expect(ends.map(({ value }) => value.reason)).toEqual(['suspended']);
  });

  it('loses nothing when the outbox repeats its suspension after it has registered again', async () => {
    const thing = system.thing(proxy, 'repeated');
    const deviceId = await system.register(thing);
    const startMs = Date.now();
    /** The same each time. */
    const repeat = (n: number, change: DeviceLifecycleChanged['change']): Promise<void> =>
      announce({ deviceId, endpointName: 'repeated' }, n, change, startMs + n * 1_000);
    await repeat(1, 'suspended');
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.reason !== undefined);
    await repeat(2, 'resumed');
    await isRead(deviceId, 2);
    await eventually(() => thing.device.register());
    await repeat(1, 'suspended');
    await repeat(2, 'resumed');
    await repeat(3, 'changed');
    await isRead(deviceId, 3);
    await clock.advance(10_000);
    await send(deviceId, 'repeated');
    expect((await system.result('repeated')).value).toMatchObject({ outcome: 'succeeded' });
    const ends = system.sessions.filter(({ value }) => value.deviceId === deviceId && value.reason !== undefined);
    expect(ends.map(({ value }) => value.reason)).toEqual(['suspended']);
  });
});

describe('a device that was suspended while no replica ran', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('suspended-unseen');
  });
  afterAll(() => system.close());

  it('loses its session when it sends a message to a replica that did not have the session', async () => {
    const gone = await system.proxy('dp-gone');
    const thing = system.thing(gone, 'heard-later');
    const deviceId = await system.register(thing);
    await system.stop(gone);
    await system.lifecycle(deviceId, 'heard-later', 'suspended');
    const other = await system.proxy('dp-other');
    thing.device.talkTo(`coap://127.0.0.1:${other.coapPort}`);
    await thing.device.update();
    const end = await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.reason !== undefined);
    expect(end.value.reason).toBe('suspended');
  });
});

describe('a device that was deleted, of which the directory knows nothing any more', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('deleted-devices');
  });
  afterAll(() => system.close());

  /** As the registry announces it: the tombstone is the last message. */
  const announceDeletion = async (deviceId: string, name: string): Promise<void> => {
    await system.lifecycle(deviceId, name, 'deleted');
    await system.end(DeviceLifecycle, deviceId);
  };
  const endOf = (deviceId: string) =>
    system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'deregistered');

  it('loses its session and its commands although the replica that had it is gone', async () => {
    const gone = await system.proxy('dp-gone');
    const clock = new TestClock(Date.now());
    const other = await system.proxy('dp-other', { clock });
    const thing = system.thing(gone, 'left-behind');
    const deviceId = await system.register(thing);
    await system.knows(other, 'left-behind');
    await system.stop(gone);
    await announceDeletion(deviceId, 'left-behind');
    const directory = other.app.get(DeviceDirectory, { strict: false });
    await eventually(() => directory.get(deviceId) === undefined && directory.whyBlocked(deviceId) === undefined);
    // Its session is still stored.
    const path = `/v2/device-requests/${deviceId}?async-id=late`;
    const body = { method: 'GET', uri: '/3/0/0' };
    expect((await system.call(other, newKey(system.accountId), 'POST', path, body)).status).toBe(202);
    const ends = () => system.sessions.filter(({ value }) => value.deviceId === deviceId && value.reason !== undefined);
    await eventually(async () => {
      await clock.advance(1_000);
      expect(ends().map(({ value }) => value.reason)).toEqual(['deleted']);
    });
    const { value } = await system.result('late');
    expect(value.item).toMatchObject({ status: 429, error: 'DEVICE_REMOVED_REGISTRATION' });
    await system.stop(other);
  });

  it('loses its session and its subscriptions when no replica ran, and comes back under a new id', async () => {
    const proxy = await system.proxy('dp-alone');
    const thing = system.thing(proxy, 'unseen');
    const deviceId = await system.register(thing);
    await system.subscribe(proxy, newKey(system.accountId), deviceId, '/3303/0/5700');
    await system.stop(proxy);
    await announceDeletion(deviceId, 'unseen');
    const restarted = await system.proxy('dp-alone');
    thing.device.talkTo(`coap://127.0.0.1:${restarted.coapPort}`);
    expect((await endOf(deviceId)).value.reason).toBe('deleted');
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'lost');
    expect(await system.register(thing)).not.toBe(deviceId);
    await system.stop(restarted);
  });

  it('leaves no result of its firmware behind, whether a replica runs at that moment or not', async () => {
    const proxy = await system.proxy('dp-results');
    const [one, other] = [newId(), newId()];
    for (const deviceId of [one, other]) {
      await system.lifecycle(deviceId, deviceId, 'created');
      await system.knows(proxy, deviceId);
      await system.rows(
        `INSERT INTO device_proxy.firmware_reports (device_id, source, state, result)
         VALUES ('${deviceId}', 'firmware-update', 0, 1)`,
      );
    }
    const left = `SELECT device_id FROM device_proxy.firmware_reports WHERE device_id IN ('${one}', '${other}')`;
    await announceDeletion(one, one);
    await eventually(async () => expect(await system.rows(left)).toEqual([{ device_id: other }]));
    await system.stop(proxy);
    await announceDeletion(other, other);
    const restarted = await system.proxy('dp-results');
    await eventually(async () => expect(await system.rows(left)).toEqual([]));
    await system.stop(restarted);
  });

  it('leaves no change of its subscriptions behind that every replica has seen', async () => {
    const clock = new TestClock(Date.now());
    const proxy = await system.proxy('dp-sweeping', { clock });
    await system.rows(
      `INSERT INTO device_proxy.interest_changes (device_id, changed_at)
       VALUES ('deleted', now() - interval '1 hour'), ('changed', now())`,
    );
    await clock.advance(changesSweepMs);
    const left = `SELECT device_id FROM device_proxy.interest_changes WHERE device_id IN ('deleted', 'changed')`;
    await eventually(async () => expect(await system.rows(left)).toEqual([{ device_id: 'changed' }]));
    await system.stop(proxy);
  });

  it('comes back under a new id before its commands have ended', async () => {
    const proxy = await system.proxy('dp-busy');
    const thing = system.thing(proxy, 'returning');
    const deviceId = await system.register(thing);
    let answer = (): void => undefined;
    thing.device.beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    const body = { method: 'GET', uri: '/3/0/0' };
    await system.call(
      proxy,
      newKey(system.accountId),
      'POST',
      `/v2/device-requests/${deviceId}?async-id=unended`,
      body,
    );
    await eventually(() => expect(thing.device.received).toHaveLength(1));
    const unlock = await system.holdRows(
      `SELECT FROM device_proxy.commands WHERE device_id = '${deviceId}' FOR UPDATE`,
    );
    await announceDeletion(deviceId, 'returning');
    await endOf(deviceId);
    const first = `SELECT FROM device_proxy.first_contacts WHERE device_id = '${deviceId}'`;
    await eventually(async () => expect(await system.rows(first)).toEqual([]));
    thing.device.beforeAnswer = undefined;
    answer();
    expect(await system.register(thing)).not.toBe(deviceId);
    await unlock();
    expect((await system.result('unended')).value.outcome).toBe('failed');
  });
});
