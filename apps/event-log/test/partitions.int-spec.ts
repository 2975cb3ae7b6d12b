import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, newId, openDatabase } from '@lanyard/service';
import { holdRows, isolate, type Isolation, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { EntriesStore } from '../src/log/entries.store.js';
import { entryId, type LogEntry } from '../src/log/entry.js';
import { PartitionMaintenance } from '../src/partitions/partition-maintenance.js';
import { Partitions } from '../src/partitions/partitions.js';

const dayMs = 86_400_000;

describe('partitions of the log', () => {
  let isolation: Isolation;
  let database: DataSource;
  const accountId = newId();
  const clock = new TestClock(Date.parse('2020-11-21T12:00:00Z'));

  beforeAll(async () => {
    isolation = await isolate('partitions');
    const { databaseUrl } = isolation;
    database = await openDatabase(
      databaseOf({ app: 'event-log', replicaId: 'test', logLevel: 'silent', secrets: { databaseUrl } }),
    );
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  const names = async (): Promise<string[]> => {
    const rows = (await database.query(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'event_log.device_events'::regclass ORDER BY 1`,
    )) as { name: string }[];
    return rows.map(({ name }) => name);
  };
  const days = async (): Promise<string[]> => {
    const rows = (await database.query(
      `SELECT to_char(date_time, 'YYYY-MM-DD') AS day FROM event_log.device_events ORDER BY 1`,
    )) as { day: string }[];
    return rows.map(({ day }) => day);
  };
  const homeOf = async (day: string): Promise<string> => {
    const [row] = (await database.query(
      `SELECT tableoid::regclass::text AS home FROM event_log.device_events WHERE date_time::date = $1`,
      [day],
    )) as { home: string }[];
    return row?.home ?? '';
  };
  const entry = (day: string): LogEntry => ({
    id: entryId(`${day}T00:00:00Z`, day),
    accountId,
    deviceId: newId(),
    occurredAt: `${day}T10:00:00Z`,
    eventCode: 'SYS_106',
    description: '',
    stateChange: true,
    changes: {},
    data: {},
  });

  it('are weeks from the oldest entry that is kept; entries that came before their week was made move into it', async () => {
    for (const day of ['2020-11-20', '2020-08-05', '2014-01-01'])
      await database.query(
        `INSERT INTO event_log.device_events (id, date_time, account_id, device_id, event_code, event_type,
           event_type_category, event_type_description, description, state_change, changes, data)
         VALUES ($1, $2, $3, 'd', 'SYS_106', '106', 'INFO', 'INFO', '', true, '{}', '{}')`,
        [newId(), `${day}T10:00:00Z`, accountId],
      );
    const partitions = new Partitions(database, clock, { retentionDays: 183 });
    expect(await partitions.ensure()).toBeGreaterThan(15);
    expect(await partitions.ensure()).toBe(0);
    expect(await days()).toEqual(['2014-01-01', '2020-08-05', '2020-11-20']);
    expect(await homeOf('2020-08-05')).toBe('device_events_from_2020_08_03');
    expect(await homeOf('2020-11-20')).toBe('device_events_from_2020_11_16');
    expect(await homeOf('2014-01-01')).toBe('device_events_other');
  });

  it('new rows have positions behind all others, and find their weeks', async () => {
    const store = new EntriesStore(database);
    await store.append([entry('2020-12-17'), entry('2020-11-21'), entry('2020-12-01')]);
    await store.append([entry('2020-11-21')]);
    expect(await homeOf('2020-12-17')).toBe('device_events_from_2020_12_14');
    expect(await homeOf('2020-12-01')).toBe('device_events_from_2020_11_30');
    expect(await homeOf('2020-11-21')).toBe('device_events_from_2020_11_16');
    const rows = (await database.query(
      'SELECT position::int AS p FROM event_log.device_events WHERE account_id = $1 ORDER BY position DESC LIMIT 4',
      [accountId],
    )) as { p: number }[];
    expect(rows.map(({ p }) => p)).toEqual([6, 5, 4, 3]);
  });

  it('what is past its life goes with its partition, and what was too old when it came too', async () => {
    const later = new TestClock(clock.now() + 110 * dayMs);
    const gone = [...(await names())];
    const kept = await new Partitions(database, later, { retentionDays: 183 }).keep();
    expect(kept).toMatchObject({ removed: 1 });
    expect(kept.dropped).toBeGreaterThan(10);
    expect(await days()).toEqual(['2020-11-20', '2020-11-21', '2020-12-01', '2020-12-17']);
    const left = await names();
    expect(gone.filter((name) => !left.includes(name))).toContain('device_events_from_2020_08_03');
    const files: unknown[] = await database.query(
      `SELECT 1 FROM pg_class WHERE relname = 'device_events_from_2020_08_03'`,
    );
    expect(files).toEqual([]);
  });

  it('what says that it is of the far future ends as long after it came', async () => {
    const ids = [newId(), newId()];
    for (const [n, cameAt] of ['2020-11-01', '2020-12-24'].entries())
      await database.query(
        `INSERT INTO event_log.device_events (id, date_time, created_at, account_id, device_id, event_code, event_type,
           event_type_category, event_type_description, description, state_change, changes, data)
         VALUES ($1, '9999-12-31T23:59:59Z', $2, $3, 'd', 'SYS_106', '106', 'INFO', 'INFO', '', true, '{}', '{}')`,
        [ids[n], cameAt, newId()],
      );
    const later = new TestClock(Date.parse('2021-06-15T00:00:00Z'));
    expect(await new Partitions(database, later, { retentionDays: 183 }).keep()).toMatchObject({ removed: 1 });
    const left: unknown = await database.query('SELECT id FROM event_log.device_events WHERE id = ANY($1)', [ids]);
    expect(left).toEqual([{ id: ids[1] }]);
  });

  it('two replicas make them at once', async () => {
    const far = new TestClock(clock.now() + 400 * dayMs);
    const made = await Promise.all([1, 2].map(() => new Partitions(database, far, { retentionDays: 30 }).ensure()));
    expect(Math.min(...made)).toBe(0);
    expect(Math.max(...made)).toBeGreaterThan(4);
  });

  it('that are made later take entries too: the store keeps its statement', async () => {
    const store = new EntriesStore(database);
    await store.append([entry('2028-06-14')]);
    expect(await homeOf('2028-06-14')).toBe('device_events_other');
    const later = new TestClock(Date.parse('2028-08-01T12:00:00Z'));
    await new Partitions(database, later, { retentionDays: 30 }).ensure();
    await store.append([entry('2028-08-02')]);
    expect(await homeOf('2028-08-02')).toBe('device_events_from_2028_07_31');
  });

  it('are made later when the service starts while a backup reads the log', async () => {
    const later = new TestClock(Date.parse('2029-01-01T12:00:00Z'));
    const partitions = new Partitions(database, later, { retentionDays: 30 });
    const logger = createLogger({ app: 'event-log', replicaId: 'test', level: 'silent' });
    const maintenance = Object.assign(new PartitionMaintenance(partitions), { logger });
    const release = await holdRows(
      isolation.databaseUrl,
      'LOCK TABLE event_log.device_events IN ACCESS SHARE MODE',
      [],
    );
    try {
      await maintenance.onModuleInit();
    } finally {
      await release();
    }
    expect(await partitions.ensure()).toBeGreaterThan(4);
  });

  it('stay if the clock of one replica is a year ahead', async () => {
    const nowMs = Date.now();
    const today = new Date(nowMs).toISOString().slice(0, 10);
    await new Partitions(database, new TestClock(nowMs), { retentionDays: 30 }).ensure();
    await new EntriesStore(database).append([entry(today)]);
    await new Partitions(database, new TestClock(nowMs + 365 * dayMs), { retentionDays: 30 }).keep();
    expect(await days()).toContain(today);
  });
});
