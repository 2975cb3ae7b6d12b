import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccessAccountChanged,
  AccessAccounts,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
  type ValueHistory,
} from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { eventually, holdRows, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { HistoryRemovalService } from '../src/retention/history-removal.service.js';
import { PartitionMaintenance } from '../src/retention/partition-maintenance.js';
import { TestSystem } from './test-system.js';

interface History {
  count: number;
  from: string;
  has_earlier: boolean;
  kept: ValueHistory | null;
  step_seconds: number | null;
  values: { reported_at: string; value: string; decoded?: unknown }[];
  steps: { from: string; count: number; min?: number; max?: number; mean?: number; last?: unknown }[];
  fields?: { name: string }[];
}

const minuteMs = 60_000;

describe('the value history', () => {
  let system: TestSystem;
  let database: DataSource;
  let accountId: string;
  /** A whole ten minutes, at least ten minutes ago. */
  const start = Math.floor(Date.now() / (10 * minuteMs) - 1) * 10 * minuteMs;
  const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString().replace('Z', '000Z');

  beforeAll(async () => {
    system = await TestSystem.start('value-history');
    ({ accountId, database } = system);
  });

  afterAll(async () => {
    await system?.stop();
  });

  let sequence = 0;
  const value = (deviceId: string, text: string, fields: Partial<ResourceValueArrived> = {}): ResourceValueArrived => ({
    ...(fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived),
    item: {
      ep: deviceId,
      path: '/3303/0/5700',
      ct: 'text/plain',
      payload: Buffer.from(text).toString('base64'),
      'max-age': 60,
    },
    accountId,
    deviceId,
    sequence: ++sequence,
    observedAt: at(sequence),
    ...fields,
  });
  const atPath = (fact: ResourceValueArrived, path: string): ResourceValueArrived => ({
    ...fact,
    item: { ...fact.item, path },
  });
  const send = async (...facts: ResourceValueArrived[]): Promise<void> => {
    for (const fact of facts) await system.producer.send(DeviceValues, fact);
  };
  const get = (deviceId: string, query: Record<string, string> = {}, account = accountId): Promise<Response> =>
    system.call(`/v3/devices/${deviceId}/history?${new URLSearchParams({ path: '/3303/0/5700', ...query })}`, account);
  const history = async (deviceId: string, query: Record<string, string> = {}): Promise<History> => {
    const response = await get(deviceId, query);
    expect(response.status).toBe(200);
    return (await response.json()) as History;
  };
  /** The values, once so many are stored. */
  const values = (deviceId: string, count: number, query: Record<string, string> = {}): Promise<unknown[]> =>
    eventually(async () => {
      const found = (await history(deviceId, query)).values.map(({ decoded }) => decoded);
      expect(found).toHaveLength(count);
      return found;
    });
  const keep = async (account: string, valueHistory?: ValueHistory): Promise<void> => {
    const known = fixtures(AccessAccounts).valid['active'] as AccessAccountChanged;
    await system.producer.send(AccessAccounts, { ...known, accountId: account, ...(valueHistory && { valueHistory }) });
  };

  it('has values in the order of the times at which the device measured them', async () => {
    const deviceId = newId();
    const [late, later] = [at(5), at(15)];
    await send(value(deviceId, '20', { observedAt: at(10) }), value(deviceId, '30', { observedAt: at(20) }));
    // Sent with its history, out of order, after newer values had arrived.
    await send(
      value(deviceId, '25', { observedAt: at(30), measuredAt: later }),
      value(deviceId, '15', { observedAt: at(30), measuredAt: late }),
    );
    expect(await values(deviceId, 4)).toEqual([15, 20, 25, 30]);
    const found = await history(deviceId);
    expect(found).toMatchObject({
      object: 'resource-history',
      device_id: deviceId,
      resource_path: '/3303/0/5700',
      name: 'Sensor Value',
      type: 'float',
      kept: { hours: 24, values: 1_000 },
      count: 4,
      has_earlier: false,
      step_seconds: null,
      steps: [],
    });
    expect(found.values[0]).toEqual({ reported_at: late, value: 'MTU=', content_type: 'text/plain', decoded: 15 });
    expect(await values(deviceId, 2, { from: at(8), to: at(16) })).toEqual([20, 25]);
  });

  it('has each value once, however often its topic is read and its device sends it', async () => {
    const deviceId = newId();
    const facts = [1, 2, 3].map((n) => value(deviceId, `${n}`));
    const measured = value(deviceId, '4', { measuredAt: at(0) });
    await send(...facts, measured, ...facts, { ...measured, sequence: ++sequence }, value(deviceId, '5'));
    expect(await values(deviceId, 5)).toEqual([4, 1, 2, 3, 5]);
    // Of one moment, but another value: both count.
    await send(value(deviceId, '6', { measuredAt: at(0) }));
    await values(deviceId, 6);
  });

  it('puts many values into steps, by the type of the resource', async () => {
    const deviceId = newId();
    const numbers = Array.from({ length: 40 }, (_, n) => value(deviceId, `${n}`, { observedAt: at(n * 15) }));
    const states = ['1', '0', '1'].map((text, n) =>
      atPath(value(deviceId, text, { observedAt: at(n) }), '/3342/0/5500'),
    );
    const texts = ['a', 'b', 'c'].map((text, n) => atPath(value(deviceId, text, { observedAt: at(n) }), '/3/0/0'));
    await send(...numbers, ...states, ...texts);
    const range = { from: at(0), to: at(600) };
    await values(deviceId, 40, range);
    const found = await history(deviceId, { ...range, points: '11' });
    expect(found).toMatchObject({ count: 40, step_seconds: 60, values: [] });
    expect(found.steps).toHaveLength(10);
    expect(found.steps[1]).toEqual({ from: at(60), count: 4, min: 4, max: 7, mean: 5.5, last: 7 });
    const { from, to } = range;
    expect(await history(deviceId, { from, to, points: '1' })).toMatchObject({
      step_seconds: 600,
      steps: [{ from, count: 40, min: 0, max: 39, mean: 19.5, last: 39 }],
    });
    const stateSteps = await eventually(async () => {
      const steps = await history(deviceId, { ...range, path: '/3342/0/5500', points: '2' });
      expect(steps.count).toBe(3);
      return steps;
    });
    expect(stateSteps.steps).toEqual([{ from: expect.any(String), count: 3, min: 0, max: 1, mean: 2 / 3, last: true }]);
    const textSteps = await eventually(async () => {
      const steps = await history(deviceId, { ...range, path: '/3/0/0', points: '2' });
      expect(steps.count).toBe(3);
      return steps;
    });
    expect(textSteps.steps).toEqual([{ from: expect.any(String), count: 3, last: 'c' }]);
  });

  it('keeps neither values that are older than the account wants, nor large ones', async () => {
    const deviceId = newId();
    const old = new Date(Date.now() - 24.1 * 60 * minuteMs).toISOString();
    await send(
      value(deviceId, '1', { measuredAt: old }),
      value(deviceId, 'x'.repeat(1_025)),
      value(deviceId, '2', { measuredAt: new Date(Date.now() - 23.5 * 60 * minuteMs).toISOString() }),
      value(deviceId, '3'),
    );
    expect(await values(deviceId, 2, { from: '2026-01-01T00:00:00Z' })).toEqual([2, 3]);
    expect(Date.parse((await history(deviceId, { from: '2026-01-01T00:00:00Z' })).from)).toBeGreaterThan(
      Date.now() - 24 * 60 * minuteMs - minuteMs,
    );
  });

  it('follows the setting of the account: fewer values, more hours, none, and again', async () => {
    const account = newId();
    const deviceId = newId();
    const of = (fact: ResourceValueArrived): ResourceValueArrived => ({ ...fact, accountId: account });
    const decoded = async (): Promise<unknown[]> => {
      const response = await get(deviceId, { from: '2026-01-01T00:00:00Z' }, account);
      expect(response.status).toBe(200);
      return ((await response.json()) as History).values.map((one) => one.decoded);
    };
    await keep(account, { hours: 700, values: 2 });
    await eventually(async () => {
      await send(of(value(deviceId, '0')));
      const response = await get(deviceId, {}, account);
      expect(((await response.json()) as History).kept).toEqual({ hours: 700, values: 2 });
    });
    const weeksAgo = new Date(Date.now() - 20 * 24 * 60 * minuteMs).toISOString();
    await send(of(value(deviceId, '1', { measuredAt: weeksAgo })));
    const [second, third] = [of(value(deviceId, '2')), of(value(deviceId, '3'))];
    await send(second, third);
    await eventually(async () => expect(await decoded()).toEqual([2, 3]));
    const response = await get(deviceId, { from: '2026-01-01T00:00:00Z' }, account);
    expect(((await response.json()) as History).has_earlier).toBe(true);

    await keep(account, { hours: 700, values: 100 });
    await eventually(async () => expect((await decoded())[0]).toBe(1));
    await keep(account, { hours: 0, values: 100 });
    await eventually(async () => expect(await decoded()).toEqual([]));
    await send(of(value(deviceId, '4')));
    await eventually(async () => {
      const echo = (await (await system.call(`/v3/devices/${deviceId}/echo`, account)).json()) as {
        resources: { reported: { decoded: number } }[];
      };
      expect(echo.resources[0]?.reported.decoded).toBe(4);
    });
    await keep(account);
    await eventually(async () => expect((await decoded()).at(-1)).toBe(3));
    expect(await decoded()).not.toContain(1);
    // Stored among the values of a month before, and now also among those of a day.
    await send(third, of(value(deviceId, '5')));
    await eventually(async () => expect((await decoded()).slice(-3)).toEqual([2, 3, 5]));
  });

  it('ends with its device, and so do the values and subscriptions of the snapshot', async () => {
    const deviceId = newId();
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), accountId, deviceId };
    await system.producer.send(DeviceLifecycle, created);
    const measuredAt = new Date(Date.now() - 13 * 60 * minuteMs).toISOString();
    await send(value(deviceId, '0', { measuredAt }), value(deviceId, '1'), value(deviceId, '2'));
    await values(deviceId, 3, { from: '2026-01-01T00:00:00Z' });
    await database.query(
      `INSERT INTO snapshot.subscriptions (device_id, key_id, path, status, changed_at)
       VALUES ($1, 'key', '/3303', 'confirmed', now())`,
      [deviceId],
    );
    const resources: { id: string }[] = await database.query('SELECT id FROM snapshot.resources WHERE device_id = $1', [
      deviceId,
    ]);
    const stored = (): Promise<unknown[]> =>
      database.query(
        `SELECT 'value' AS what FROM snapshot.value_history WHERE resource_id = ANY($2)
         UNION ALL SELECT 'resource' FROM snapshot.resources WHERE device_id = $1
         UNION ALL SELECT 'subscription' FROM snapshot.subscriptions WHERE device_id = $1`,
        [deviceId, resources.map(({ id }) => id)],
      );
    const suspended = { ...created, change: 'suspended', lifecycleStatus: 'blocked', revision: 2 } as const;
    await system.producer.send(DeviceLifecycle, suspended);
    // Now, because the service itself removes what was deleted more than a minute ago.
    const changedAt = new Date().toISOString();
    await system.producer.send(DeviceLifecycle, { ...suspended, change: 'deleted', revision: 3, changedAt });
    await eventually(async () => expect((await get(deviceId)).status).toBe(404));
    expect(await stored()).toHaveLength(5);
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const removal = Object.assign(new HistoryRemovalService(database), {
      logger,
      clock: new TestClock(Date.now() + minuteMs),
    });
    await eventually(async () => {
      await removal.remove();
      expect(await stored()).toEqual([]);
    });
    expect(await removal.remove()).toBe(0);
  });

  it('404 for devices that are unknown or of another account, and for resources that the device has not', async () => {
    const deviceId = newId();
    await send(value(deviceId, '1'));
    await values(deviceId, 1);
    expect((await get(newId())).status).toBe(404);
    expect((await get(deviceId, {}, newId())).status).toBe(404);
    expect((await get(deviceId, { path: '/3303/0/5701' })).status).toBe(404);
  });

  it.each([
    [{ path: '' }, 'path'],
    [{ path: '/3303/0' }, 'path'],
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-11-24T00:00:00Z', to: '2026-11-23T00:00:00Z' }, 'from'],
    [{ points: '5000' }, 'points'],
  ])('400 for %j, which names it', async (query, name) => {
    const response = await get(newId(), query);
    expect(response.status).toBe(400);
    expect(((await response.json()) as History).fields?.map((field) => field.name)).toEqual([name]);
  });

  it('is stored in partitions, which are dropped whole when they are past their time', async () => {
    const partitions = async (): Promise<string[]> => {
      const rows: { name: string }[] = await database.query(
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'snapshot.value_history_24h'::regclass ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    };
    const stored = async (): Promise<string[]> => {
      const rows: { text: string }[] = await database.query(
        `SELECT convert_from(value, 'UTF8') AS text FROM snapshot.value_history WHERE resource_id = 0 ORDER BY at`,
      );
      return rows.map(({ text }) => text);
    };
    const before = await partitions();
    // 24 hours, two ahead, by two hours each.
    expect(before.length).toBeGreaterThanOrEqual(13);
    expect(before.length).toBeLessThanOrEqual(15);
    const nowMs = Date.now();
    const keepAt = (ms: number): Promise<void> => new PartitionMaintenance(database, new TestClock(ms)).keep();
    // The length of a partition earlier.
    await keepAt(nowMs - 120 * minuteMs);
    await database.query(
      `INSERT INTO snapshot.value_history (resource_id, at, tie, keep_hours, value)
       VALUES (0, $1, 0, 24, 'old'), (0, $2, 0, 24, 'new')`,
      [new Date(nowMs - 26 * 60 * minuteMs).toISOString(), new Date(nowMs).toISOString()],
    );
    expect(await stored()).toEqual(['old', 'new']);
    const all = await partitions();
    // The clock of one replica is ahead.
    await keepAt(nowMs + 48 * 60 * minuteMs);
    expect(await stored()).toEqual(['new']);
    const after = await partitions();
    expect(all.filter((name) => !after.includes(name))).toEqual([all[0]]);
  });

  it('and the statistics have their next partitions while a backup reads all of them', async () => {
    // Older partitions, which a check drops.
    await new PartitionMaintenance(database, new TestClock(Date.now() - 50 * 60 * minuteMs)).keep();
    const release = await holdRows(
      system.isolation.databaseUrl,
      'LOCK TABLE snapshot.value_history, snapshot.statistics IN ACCESS SHARE MODE',
      [],
    );
    try {
      const laterMs = Date.now() + 50 * 60 * minuteMs;
      const later = new Date(laterMs).toISOString();
      const maintenance = new PartitionMaintenance(database, new TestClock(laterMs));
      // Only drops wait for the backup, and give up.
      await expect(maintenance.keep()).rejects.toThrow('lock timeout');
      await database.query(
        `INSERT INTO snapshot.value_history (resource_id, at, tie, keep_hours, value) VALUES (0, $1, 0, 24, 'later')`,
        [later],
      );
      await database.query(
        `INSERT INTO snapshot.statistics SELECT 'later', 10, $1::timestamptz, 0, 0, 0, 0, 0, 0, 0, 0, 0`,
        [later],
      );
    } finally {
      await release();
    }
  });
});
