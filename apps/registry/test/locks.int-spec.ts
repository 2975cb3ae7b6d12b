import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceSessionChanged, DeviceSessions, fixtures } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { newId, seal, systemClock } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { BootstrapWriter } from '../src/bootstrap/bootstrap-writer.js';
import { app, type RegistryConfig } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { SessionWriter } from '../src/intake/session-writer.js';
import { type TestDatabase, testDatabase } from './test-database.js';

describe('facts of devices take locks in the order of all others', () => {
  let stored: TestDatabase;
  let database: DataSource;
  const accountId = newId();

  beforeAll(async () => {
    stored = await testDatabase('registry-locks');
    ({ database } = stored);
  });
  afterAll(async () => {
    await stored?.drop();
  });

  /** Ids of devices, in order. The highest is stored first. */
  const devices = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId()).toSorted();
    await database.query(
      'INSERT INTO registry.devices (id, account_id) SELECT id, $2::text FROM unnest($1::text[]) id',
      [ids.toReversed(), accountId],
    );
    return ids;
  };
  const registered = (deviceId: string): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    ...{ deviceId, accountId },
  });

  /** Of the rows of `table` with the ids `others`, those that can be locked while `work` waits for the row with the id `held`. */
  const freeDuring = async (
    work: () => Promise<void>,
    table: string,
    held: string,
    others: readonly string[],
  ): Promise<string[]> => {
    let working = Promise.resolve();
    const rows = await database.transaction(async (manager) => {
      await manager.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [held]);
      working = work();
      await eventually(async () => {
        const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
        expect(await manager.query(waiting)).toHaveLength(1);
      });
      const free = `SELECT id FROM ${table} WHERE id = ANY($1) ORDER BY id FOR UPDATE SKIP LOCKED`;
      return manager.query<{ id: string }[]>(free, [others]);
    });
    await working;
    return rows.map(({ id }) => id);
  };

  it('sessions lock devices in the order of their ids', async () => {
    // Few of the devices: PostgreSQL reads all of them, in the order in which they are stored, to find these.
    const all = await devices(100);
    const [first = '', ...others] = all.filter((_, n) => n % 5 === 0);
    const writer = new SessionWriter(database);
    const work = (): Promise<void> => writer.apply([first, ...others].map(registered));
    expect(await freeDuring(work, 'registry.devices', first, others)).toEqual(others);
    const sql = `SELECT FROM registry.devices WHERE id = ANY($1) AND state = 'registered'`;
    expect(await database.query(sql, [[first, ...others]])).toHaveLength(20);
  });

  it('the end of a bootstrap locks credentials in the order of their ids, as a re-encryption does', async () => {
    const [deviceId = ''] = await devices(1);
    const [former = '', own = ''] = [newId(), newId()].toSorted();
    const insert = `INSERT INTO registry.device_credentials
      (id, account_id, device_id, kind, identity, sealed_key, bootstrapped, provisional)
      VALUES ($1, $2, $3, 'psk', $1, $4, true, $5)`;
    const sealedKey = seal(Buffer.alloc(32), newId());
    for (const id of [former, own]) await database.query(insert, [id, accountId, deviceId, sealedKey, id === own]);
    await database.query(
      `INSERT INTO registry.bootstraps (id, account_id, device_id, data, expires_at) VALUES ($1, $2, $3, '{}', now())`,
      [own, accountId, deviceId],
    );
    const writer = new BootstrapWriter(database, new Outbox(schema, app), systemClock, {} as RegistryConfig);
    const occurredAt = '2024-05-05T05:05:05Z';
    const work = (): Promise<void> =>
      writer.apply([{ bootstrapId: own, accountId, deviceId, change: 'bootstrapped', occurredAt }]);
    expect(await freeDuring(work, 'registry.device_credentials', former, [own])).toEqual([own]);
    const left = 'SELECT id, provisional FROM registry.device_credentials WHERE device_id = $1';
    expect(await database.query(left, [deviceId])).toEqual([{ id: own, provisional: false }]);
  });
});
