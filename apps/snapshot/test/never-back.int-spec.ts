import { describe, expect, it } from '@jest/globals';
import {
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  DeviceSessions,
  type DeviceSessionChanged,
  fixtures,
  type SubscriptionChanged,
  SubscriptionsState,
} from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { DeviceWriter } from '../src/devices/device-writer.js';
import { ResourceWriter } from '../src/resources/resource-writer.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from '../src/resources/values.js';
import { testDatabase } from './test-database.js';

const seeds = Array.from({ length: 12 }, (_, n) => n + 1);
const paths = ['/3303/0/5700', '/3303/0/5701', '/3/0/9'];
const startMs = Date.parse('2024-01-01T00:00:00Z');
const at = (second: number): string => new Date(startMs + second * 1_000).toISOString();

/** Park and Miller's generator: a seed that failed fails again. */
const dice = (seed: number): ((below: number) => number) => {
  let state = seed * 7_919;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
};

/** Every fact at least once, some twice, in any order, in batches of any size. */
const told = <F>(facts: readonly F[], below: (n: number) => number): F[][] => {
  const all = [...facts, ...facts.filter(() => below(2) === 0)];
  const shuffled = all.map((fact) => ({ fact, at: below(1_000_000) })).sort((a, b) => a.at - b.at);
  const batches: F[][] = [];
  for (let n = 0; n < shuffled.length;) {
    const size = 1 + below(9);
    batches.push(shuffled.slice(n, n + size).map(({ fact }) => fact));
    n += size;
  }
  return batches;
};

describe('facts in any order, any number of times', () => {
  const database = testDatabase('never-back');

  /** Two replicas at work on the batches at once; `look` after each pair. */
  const inBatches = async <F>(batches: F[][], write: (facts: F[]) => Promise<void>, look: () => Promise<void>) => {
    for (let n = 0; n < batches.length; n += 2) {
      await Promise.all(batches.slice(n, n + 2).map(write));
      await look();
    }
  };

  const rank = (row: number[]): number => row.reduce((sum, part) => sum * 10_000 + part, 0);
  const only = async <R>(sql: string, deviceId: string): Promise<R[]> =>
    (await database().query(sql, [deviceId])) as R[];

  it.each(seeds)('a reported value is the newest that was told, never an older one (seed %i)', async (seed) => {
    const below = dice(seed);
    const deviceId = newId();
    const writer = new ResourceWriter(database());
    const facts = paths.flatMap((path) =>
      Array.from({ length: 20 }, (_, n): ReportedValue => {
        const [epoch, sequence] = [1 + Math.floor(n / 7), n % 7];
        const value = Buffer.from(`${epoch}.${sequence}`);
        return {
          accountId: 'a',
          deviceId,
          path,
          value,
          contentType: 'text/plain',
          reportedAt: at(n),
          isMeasured: false,
          expiresAt: at(n + 60),
          epoch,
          sequence,
        };
      }),
    );
    const seen = new Map<string, number>();
    const look = async (): Promise<void> => {
      const rows = await only<{ path: string; e: number; s: number; v: Buffer }>(
        'SELECT path, reported_epoch::int AS e, reported_sequence::int AS s, reported_value AS v FROM snapshot.resources WHERE device_id = $1',
        deviceId,
      );
      for (const { path, e, s, v } of rows) {
        expect(String(v)).toBe(`${e}.${s}`);
        expect(rank([e, s])).toBeGreaterThanOrEqual(seen.get(path) ?? 0);
        seen.set(path, rank([e, s]));
      }
    };
    await inBatches(told(facts, below), (batch) => writer.storeReported(batch), look);
    expect([...seen]).toEqual(expect.arrayContaining(paths.map((path) => [path, rank([3, 5])])));
  });

  it.each(seeds)('a reported value that the device dates is the one measured last (seed %i)', async (seed) => {
    const below = dice(seed);
    const deviceId = newId();
    const writer = new ResourceWriter(database());
    const facts = paths.flatMap((path) =>
      Array.from({ length: 20 }, (_, n): ReportedValue => {
        const isMeasured = below(3) > 0;
        // It arrived at second 100 + n; measured at any time before.
        const second = isMeasured ? below(100 + n) : 100 + n;
        return {
          accountId: 'a',
          deviceId,
          path,
          value: Buffer.from(`${second}.${n}`),
          contentType: 'text/plain',
          reportedAt: at(second),
          isMeasured,
          expiresAt: at(second + 60),
          epoch: 1 + Math.floor(n / 7),
          sequence: n % 7,
        };
      }),
    );
    const seen = new Map<string, number[]>();
    const look = async (): Promise<void> => {
      const rows = await only<{ path: string; v: Buffer; second: number }>(
        `SELECT path, reported_value AS v, extract(epoch FROM reported_at - '${at(0)}'::timestamptz)::int AS second
         FROM snapshot.resources WHERE device_id = $1`,
        deviceId,
      );
      for (const { path, v, second } of rows) {
        const now = String(v).split('.').map(Number);
        expect(now[0]).toBe(second);
        expect(rank(now)).toBeGreaterThanOrEqual(rank(seen.get(path) ?? [0, 0]));
        seen.set(path, now);
      }
    };
    await inBatches(told(facts, below), (batch) => writer.storeReported(batch), look);
    for (const path of paths) {
      const ranks = facts
        .filter((fact) => fact.path === path)
        .map(({ value }) => rank(String(value).split('.').map(Number)));
      expect(rank(seen.get(path) ?? [])).toBe(Math.max(...ranks));
    }
  });

  it.each(seeds)('a desired value is that of the last command, and its end stays (seed %i)', async (seed) => {
    const below = dice(seed);
    const deviceId = newId();
    const writer = new ResourceWriter(database());
    const facts = Array.from({ length: 8 }, (_, n): DesiredValue[] => {
      const command = {
        deviceId,
        path: '/3/0/14',
        value: Buffer.from(String(n)),
        contentType: 'text/plain',
        commandId: newId(startMs + n),
        desiredAt: at(n),
      };
      const status = below(2) === 0 ? desiredStatus.success : desiredStatus.failure;
      return [
        { ...command, status: desiredStatus.pending, statusUpdatedAt: at(n) },
        { ...command, status, statusUpdatedAt: at(n + 30) },
      ];
    });
    let seen = 0;
    let last: { v: Buffer; status: number } | undefined;
    const look = async (): Promise<void> => {
      [last] = await only<{ v: Buffer; status: number }>(
        'SELECT desired_value AS v, desired_status::int AS status FROM snapshot.resources WHERE device_id = $1',
        deviceId,
      );
      const now = rank([Number(last?.v), Math.min(1, last?.status ?? 0)]);
      expect(now).toBeGreaterThanOrEqual(seen);
      seen = now;
    };
    await inBatches(told(facts.flat(), below), (batch) => writer.storeDesired(batch), look);
    expect([String(last?.v), last?.status]).toEqual(['7', facts[7]?.[1]?.status]);
  });

  it.each(seeds)('devices and subscriptions are as the last change left them (seed %i)', async (seed) => {
    const below = dice(seed);
    const deviceId = newId();
    const [one, other] = [new DeviceWriter(database()), new DeviceWriter(database())];
    const either = (): DeviceWriter => (below(2) === 0 ? one : other);
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), deviceId };
    const lifecycle = Array.from({ length: 5 }, (_, n): DeviceLifecycleChanged => ({
      ...created,
      change: n === 4 ? 'deleted' : 'changed',
      revision: n + 1,
      changedAt: at(n),
    }));
    const registered = { ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged), deviceId };
    const sessions = Array.from({ length: 6 }, (_, n) => ({
      ...registered,
      epoch: n,
      endpointName: `e${n}`,
      occurredAt: at(n),
    }));
    const confirmed = { ...(fixtures(SubscriptionsState).valid['confirmed'] as SubscriptionChanged), deviceId };
    const subscriptions = Array.from({ length: 6 }, (_, n): SubscriptionChanged => ({
      ...confirmed,
      status: n % 2 === 0 ? 'confirmed' : 'lost',
      changedAt: at(n),
    }));
    let seen: [number, number] = [-1, -1];
    const look = async (): Promise<void> => {
      const [row] = await only<{ revision: number; epoch: number; deleted: boolean }>(
        'SELECT lifecycle_revision::int AS revision, session_epoch::int AS epoch, deleted_at IS NOT NULL AS deleted FROM snapshot.devices WHERE device_id = $1',
        deviceId,
      );
      expect(row?.revision ?? -1).toBeGreaterThanOrEqual(seen[0]);
      expect(row?.epoch ?? -1).toBeGreaterThanOrEqual(seen[1]);
      expect(row?.deleted ?? false).toBe(row?.revision === 5);
      seen = [row?.revision ?? -1, row?.epoch ?? -1];
    };
    await inBatches(told(sessions, below), (batch) => either().applySessions(batch), look);
    // The last change of the directory deletes the device: then subscriptions of it are not stored.
    await inBatches(told(subscriptions, below), (batch) => either().applySubscriptions(batch), look);
    await inBatches(told(lifecycle, below), (batch) => either().applyLifecycle(batch), look);
    expect(seen).toEqual([5, 5]);
    const [{ status }] = (await only('SELECT status FROM snapshot.subscriptions WHERE device_id = $1', deviceId)) as [
      { status: string },
    ];
    expect(status).toBe('lost');
  });

  it('what arrives about a deleted device, when its snapshot may be removed already, is not stored', async () => {
    const [deleted, unknown] = [newId(), newId()];
    const [devices, resources] = [new DeviceWriter(database()), new ResourceWriter(database())];
    const created = fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged;
    await devices.applyLifecycle([{ ...created, deviceId: deleted, change: 'deleted', revision: 2 }]);
    const both = [deleted, unknown];
    const value = { value: Buffer.from('1'), contentType: 'text/plain' };
    const reported = { accountId: 'a', reportedAt: at(0), isMeasured: false, expiresAt: at(60), epoch: 1, sequence: 1 };
    await resources.storeReported(both.map((deviceId) => ({ ...value, ...reported, deviceId, path: '/3303/0/5700' })));
    const desired = { commandId: newId(), status: desiredStatus.pending, desiredAt: at(0), statusUpdatedAt: at(0) };
    await resources.storeDesired(both.map((deviceId) => ({ ...value, ...desired, deviceId, path: '/3/0/14' })));
    await resources.storeListed(both.map((deviceId) => ({ deviceId, path: '/3/0/9' })));
    const confirmed = fixtures(SubscriptionsState).valid['confirmed'] as SubscriptionChanged;
    await devices.applySubscriptions(both.map((deviceId) => ({ ...confirmed, deviceId, path: '/3303' })));
    const stored = async (deviceId: string): Promise<string[]> => {
      const sql = `SELECT path FROM snapshot.resources WHERE device_id = $1
         UNION ALL SELECT path FROM snapshot.subscriptions WHERE device_id = $1`;
      return (await only<{ path: string }>(sql, deviceId)).map(({ path }) => path).sort();
    };
    expect(await stored(deleted)).toEqual([]);
    expect(await stored(unknown)).toEqual(['/3/0/14', '/3/0/9', '/3303', '/3303/0/5700']);
  });

  it.each<[string, boolean]>([
    ['in two batches', false],
    ['in one batch', true],
  ])('a deletion counts whatever its revision, as after a restore of the directory, %s', async (_, isOne) => {
    const deviceId = newId();
    const writer = new DeviceWriter(database());
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), deviceId };
    const known: DeviceLifecycleChanged = { ...created, change: 'changed', revision: 8, changedAt: at(1) };
    const deleted: DeviceLifecycleChanged = { ...created, change: 'deleted', revision: 7, changedAt: at(2) };
    for (const batch of isOne ? [[known, deleted]] : [[known], [deleted]]) await writer.applyLifecycle(batch);
    // The relay of the outbox may repeat what came before.
    await writer.applyLifecycle([{ ...created, change: 'changed', revision: 6, changedAt: at(1) }]);
    const sql = 'SELECT deleted_at IS NOT NULL AS deleted FROM snapshot.devices WHERE device_id = $1';
    expect(await only(sql, deviceId)).toEqual([{ deleted: true }]);
  });

  it('a renamed device has its name in the directory, not the one that it is registered under', async () => {
    const deviceId = newId();
    const writer = new DeviceWriter(database());
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), deviceId };
    const registered = { ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged), deviceId };
    const nameNow = async (): Promise<string | undefined> => {
      const sql = 'SELECT endpoint_name AS name FROM snapshot.devices WHERE device_id = $1';
      return (await only<{ name: string }>(sql, deviceId))[0]?.name;
    };
    await writer.applySessions([{ ...registered, endpointName: 'former' }]);
    expect(await nameNow()).toBe('former');
    await writer.applyLifecycle([{ ...created, change: 'changed', endpointName: 'renamed', revision: 2 }]);
    await writer.applySessions([{ ...registered, change: 'updated', endpointName: 'former' }]);
    expect(await nameNow()).toBe('renamed');
  });
});
