import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceLifecycleChanged, type DeviceSessionChanged, DeviceSessions, fixtures } from '@lanyard/contracts';
import { newId, openDatabase } from '@lanyard/service';
import { eventually, isolate, type Isolation } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { DevicePresence } from '../src/progress/device-presence.js';
import type { DeviceUpdates } from '../src/progress/device-updates.js';

describe('facts of devices take locks in the order of all others', () => {
  let isolation: Isolation;
  let database: DataSource;
  let presence: DevicePresence;
  const accountId = newId();

  beforeAll(async () => {
    isolation = await isolate('campaign-locks');
    const secrets = { databaseUrl: isolation.databaseUrl };
    database = await openDatabase(databaseOf({ replicaId: 'test', secrets } as Parameters<typeof databaseOf>[0]));
    const updates = { apply: () => Promise.resolve() } as unknown as DeviceUpdates;
    presence = new DevicePresence(database, updates);
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  const registered = (deviceId: string): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    deviceId,
    accountId,
  });
  const lifecycleOf = (deviceId: string, change: 'suspended' | 'deleted'): DeviceLifecycleChanged => ({
    ...{ deviceId, accountId, change, endpointName: 'x', revision: 9, changedAt: new Date().toISOString() },
    lifecycleStatus: change === 'suspended' ? 'blocked' : 'enabled',
  });

  /** Ids of running campaigns that wait for the device and for a page of their selection. The highest is stored first. */
  const campaignsOf = async (deviceId: string, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId()).toSorted();
    await database.query(
      `INSERT INTO campaigns.update_campaigns (id, account_id, name, description, image_id, object, version, checksum, size,
         concurrency, retries, failure_count_min, delivery, download_timeout_seconds, install_timeout_seconds, state,
         selection_id, tick_at)
       SELECT id, $2::text, id, '', '', 5, '', '', 0, 1, 0, 1, 'pull', 60, 60, 'running', id, now() + interval '1 hour'
       FROM unnest($1::text[]) id`,
      [ids.toReversed(), accountId],
    );
    await database.query(
      `INSERT INTO campaigns.campaign_devices (campaign_id, device_id, account_id, added_at, updated_at)
       SELECT id, $2::text, $3::text, now(), now() FROM unnest($1::text[]) id`,
      [ids.toReversed(), deviceId, accountId],
    );
    return ids;
  };

  /** Of the rows that `free` selects, how many can be locked while `work` waits for those that `held` locks. */
  const freeDuring = async (
    work: () => Promise<void>,
    held: [sql: string, parameter: unknown],
    free: [sql: string, parameter: unknown],
  ): Promise<number> => {
    let working = Promise.resolve();
    const rows = await database.transaction(async (manager) => {
      await manager.query(`${held[0]} FOR UPDATE`, [held[1]]);
      working = work();
      await eventually(async () => {
        const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
        expect(await manager.query(waiting)).toHaveLength(1);
      });
      return manager.query<unknown[]>(`${free[0]} FOR UPDATE SKIP LOCKED`, [free[1]]);
    });
    await working;
    return rows.length;
  };

  it.each<[string, (deviceId: string) => Promise<void>]>([
    ['a registration', (deviceId) => presence.applySessions([registered(deviceId)])],
    ['a deletion', (deviceId) => presence.applyLifecycle([lifecycleOf(deviceId, 'deleted')])],
  ])('%s locks campaigns in the order of their ids', async (_, take) => {
    const deviceId = newId();
    const [first, ...others] = await campaignsOf(deviceId, 20);
    const free = await freeDuring(
      () => take(deviceId),
      ['SELECT FROM campaigns.update_campaigns WHERE id = $1', first],
      ['SELECT FROM campaigns.update_campaigns WHERE id = ANY($1)', others],
    );
    expect(free).toBe(others.length);
  });

  it('a suspension locks a device before its session, as the result of a command does', async () => {
    const deviceId = newId();
    await campaignsOf(deviceId, 1);
    await presence.applySessions([registered(deviceId)]);
    const free = await freeDuring(
      () => presence.applyLifecycle([lifecycleOf(deviceId, 'suspended')]),
      ['SELECT FROM campaigns.campaign_devices WHERE device_id = $1', deviceId],
      ['SELECT FROM campaigns.device_sessions WHERE device_id = $1', deviceId],
    );
    expect(free).toBe(1);
  });

  it('a registration does not wait for a device whose update has not begun', async () => {
    const deviceId = newId();
    await campaignsOf(deviceId, 1);
    await database.transaction(async (manager) => {
      await manager.query('SELECT FROM campaigns.campaign_devices WHERE device_id = $1 FOR UPDATE', [deviceId]);
      await presence.applySessions([registered(deviceId)]);
    });
    const known = 'SELECT FROM campaigns.device_sessions WHERE device_id = $1 AND registered';
    expect(await database.query<unknown[]>(known, [deviceId])).toHaveLength(1);
  });
});
