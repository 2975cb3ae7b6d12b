import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PoisonMessage, type Received, storeBatch } from '@lanyard/kafka';
import { newId, openDatabase } from '@lanyard/service';
import { type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { EntriesStore } from '../src/log/entries.store.js';
import { entryId, type LogEntry } from '../src/log/entry.js';

const partitions = 8;
const factsEach = 20;
const occurredAt = '2026-11-20T10:00:00Z';

describe('facts of several partitions that are stored at the same moment', () => {
  let isolation: Isolation;
  let replicas: DataSource[];

  beforeAll(async () => {
    isolation = await isolate('shared-writes');
    const { databaseUrl } = isolation;
    const options = databaseOf({ app: 'event-log', replicaId: 'test', logLevel: 'silent', secrets: { databaseUrl } });
    replicas = [await openDatabase(options), await openDatabase(options)];
  });
  afterAll(async () => {
    for (const database of replicas ?? []) await database.destroy();
    await isolation?.drop();
  });

  const entry = (accountId: string, deviceId: string, n: number, description = String(n)): LogEntry => ({
    id: entryId(occurredAt, `${deviceId} ${n}`),
    ...{ accountId, deviceId, occurredAt, description, eventCode: 'SYS_106', stateChange: true, changes: {}, data: {} },
  });

  /** A batch of each partition, each of another device. */
  const batches = (accountId: string): LogEntry[][] =>
    Array.from({ length: partitions }, () => {
      const deviceId = newId();
      return Array.from({ length: factsEach }, (_, n) => entry(accountId, deviceId, n));
    });

  const store = async (database: DataSource, all: readonly LogEntry[][]): Promise<PromiseSettledResult<void>[]> => {
    const entries = new EntriesStore(database);
    return Promise.allSettled(
      all.map((batch) =>
        storeBatch(
          { messages: batch.map((value, n) => ({ value, offset: BigInt(n) }) as Received<LogEntry>) },
          (value) => [value],
          (rows) => entries.append(rows),
        ),
      ),
    );
  };

  /** Of each device, what the log has of it, in the order of the log. */
  const stored = async (accountId: string): Promise<string[][]> => {
    const rows: { descriptions: string[] }[] = await (replicas[0] as DataSource).query(
      `SELECT array_agg(description ORDER BY position) AS descriptions FROM event_log.device_events
       WHERE account_id = $1 GROUP BY device_id`,
      [accountId],
    );
    return rows.map(({ descriptions }) => descriptions);
  };

  const whole = Array.from({ length: factsEach }, (_, n) => String(n));

  it('are all stored but for the one that cannot be, and only its partition hears of it', async () => {
    const accountId = newId();
    const all = batches(accountId);
    const [poisoned] = all as [LogEntry[]];
    poisoned[7] = { ...(poisoned[7] as LogEntry), description: 'a NUL: \0' };
    const [first, ...others] = await store(replicas[0] as DataSource, all);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(PoisonMessage) });
    expect(first).toMatchObject({ reason: { offset: 7n } });
    for (const { status } of others) expect(status).toBe('fulfilled');
    const devices = await stored(accountId);
    expect(devices.filter((descriptions) => descriptions.length === factsEach)).toEqual(
      Array<string[]>(partitions - 1).fill(whole),
    );
  });

  it('are stored once, and in the order of their device, when another replica reads the same ones', async () => {
    const accountId = newId();
    const all = batches(accountId);
    const outcomes = await Promise.all(replicas.map((database) => store(database, all)));
    for (const { status } of outcomes.flat()) expect(status).toBe('fulfilled');
    expect(await stored(accountId)).toEqual(Array<string[]>(partitions).fill(whole));
  });
});
