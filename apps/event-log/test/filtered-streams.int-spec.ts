import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, openDatabase } from '@lanyard/service';
import { eventually, isolate, type Isolation, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/db/database.js';
import { selectPage } from '../src/query/device-event.js';
import { conditionsOf, EventsReader } from '../src/query/list-events.js';
import { type Place, type StoredPage, StoredEvents } from '../src/query/stored-events.js';

describe('a stream whose filter few entries match', () => {
  let isolation: Isolation;
  let database: DataSource;

  beforeAll(async () => {
    isolation = await isolate('filtered-streams');
    const { databaseUrl } = isolation;
    database = await openDatabase(
      databaseOf({ app: 'event-log', replicaId: 'test', logLevel: 'silent', secrets: { databaseUrl } }),
    );
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  /** Entries of one device, in order. Gives their ids. */
  const store = async (accountId: string, deviceId: string, count: number): Promise<string[]> => {
    const rows = (await database.query(
      `INSERT INTO event_log.device_events (id, date_time, account_id, device_id, event_code, event_type,
         event_type_category, event_type_description, description, state_change, changes, data)
       SELECT md5($2::text || n), now(), $1::text, $2, 'SYS_112', '112', 'CAMPAIGN', 'SUCCESS', '', false, '{}'::jsonb, '{}'::jsonb
       FROM generate_series(1, $3::int) AS n RETURNING id`,
      [accountId, deviceId, count],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  };

  const skipPositions = async (): Promise<void> => {
    await database.query(`SELECT setval('event_log.positions', nextval('event_log.positions') + 1000000000)`);
  };

  it('reads the log in parts of 20,000 entries of the account, each with an id to come back with', async () => {
    const [accountId, deviceId] = [newId(), newId()];
    const before = await store(accountId, newId(), 45_000);
    await skipPositions();
    await store(newId(), newId(), 25_000);
    await skipPositions();
    const [wanted] = await store(accountId, deviceId, 1);
    const stored = new StoredEvents(database);
    const filters = [{ field: 'device_id', operator: 'eq' as const, values: [deviceId] }];
    const read = async (id: string): Promise<StoredPage> =>
      stored.pageAfter({ accountId }, await stored.placeOf(accountId, id), filters, 100);

    const pages: StoredPage[] = [];
    do pages.push(await read(pages.at(-1)?.place.id ?? '0'));
    while (pages.at(-1)?.hasMore);

    expect(pages.map(({ place }) => place.id)).toEqual([before[19_999], before[39_999], wanted]);
    expect(pages.map(({ events }) => events.map(({ id }) => id))).toEqual([[], [], [wanted]]);
    expect(await read(String(wanted))).toMatchObject({ events: [], hasMore: false });
  });

  it('reads large entries in parts of about 4 MiB, and so does a list', async () => {
    const accountId = newId();
    const ids = await store(accountId, newId(), 6);
    const data = `jsonb_build_object('text', repeat('x', 1500000))`;
    await database.query(`UPDATE event_log.device_events SET data = ${data} WHERE account_id = $1`, [accountId]);
    const stored = new StoredEvents(database);
    const first = await stored.pageAfter({ accountId }, { position: '0', id: '0' }, [], 100);
    const second = await stored.pageAfter({ accountId }, first.place, [], 100);
    const read = [first, second].map(({ events, hasMore }) => [events.map(({ id }) => id), hasMore]);
    expect(read).toEqual([
      [ids.slice(0, 3), true],
      [ids.slice(3), false],
    ]);
    for (const order of ['ASC', 'DESC'] as const) {
      const page = async (after: string | null): Promise<{ data: { id: string }[]; has_more: boolean }> => {
        const query = { limit: 1_000, after, order, includeTotal: false, filters: [] };
        const { text } = await new EventsReader(database, new TestClock()).list({ accountId }, query);
        return JSON.parse(text) as { data: { id: string }[]; has_more: boolean };
      };
      const pages = [await page(null)];
      pages.push(await page(pages[0]?.data.at(-1)?.id ?? null));
      expect(pages.map((one) => [one.data.length, one.has_more])).toEqual([
        [3, true],
        [3, false],
      ]);
      expect(pages.flatMap((one) => one.data.map(({ id }) => id)).toSorted()).toEqual(ids.toSorted());
    }
  });

  it('of ten that continue after entries that are gone, five search at once; others begin', async () => {
    const [many, other] = [newId(), newId()];
    const searching: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const query = async (sql: string, parameters: string[] = []): Promise<unknown> => {
      if (sql.includes('id > $2')) {
        searching.push(String(parameters[0]));
        await released;
      }
      return database.query(sql, parameters);
    };
    const slow = Object.assign(Object.create(database) as DataSource, { query });
    const stored = new StoredEvents(slow);
    const ten = Array.from({ length: 10 }, () => stored.placeOf(many, newId()));
    await eventually(() => expect(searching).toEqual(Array(5).fill(many)));
    const one = stored.placeOf(other, newId());
    await eventually(() => expect(searching).toContain(other));
    // An entry that is there is found without a search.
    const [id = ''] = await store(many, newId(), 1);
    expect(await stored.placeOf(many, id)).toMatchObject({ id });
    release();
    expect(await one).toEqual({ position: '0', id: '0' });
    await Promise.all(ten);
    expect(searching.filter((accountId) => accountId === many)).toHaveLength(10);
  });

  it('has the id of an entry that is there to come back with, after its last one was removed', async () => {
    const [accountId, deviceId] = [newId(), newId()];
    const [kept, removed] = await store(accountId, deviceId, 2);
    const stored = new StoredEvents(database);
    const read = (from: Place): Promise<StoredPage> => stored.pageAfter({ accountId }, from, [], 100);
    const first = await read({ position: '0', id: '0' });
    expect(first.place.id).toBe(removed);
    await database.query('DELETE FROM event_log.device_events WHERE id = $1', [removed]);
    const { place } = await read(first.place);
    expect(place.id).toBe(kept);
    const [next] = await store(accountId, newId(), 1);
    for (const from of [place, await stored.placeOf(accountId, place.id)])
      expect((await read(from)).events.map(({ id }) => id)).toEqual([next]);
  });

  it.each([
    ['in no group', 'eq', ['']],
    ['not in a group', 'neq', ['group']],
    ['in no group or in this one', 'in', ['', 'group']],
  ] as const)('finds by their keys whether devices are %s, of however many members', async (_, operator, values) => {
    const accountId = newId();
    await database.query(
      `INSERT INTO event_log.memberships (device_id, account_id, groups, revision)
       SELECT md5($1::text || n), $1::text, '{group}', 1 FROM generate_series(1, 5000) AS n`,
      [accountId],
    );
    await database.query('ANALYZE event_log.memberships');
    const parameters: unknown[] = [];
    const filter = { field: 'group_id', operator, values: [...values] };
    const where = conditionsOf({ accountId }, [filter], parameters).join(' AND ');
    const lines: { 'QUERY PLAN': string }[] = await database.query(
      `EXPLAIN ${selectPage({ where, order: 'position', count: 100 })}`,
      parameters,
    );
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan using memberships_pkey');
    expect(plan).not.toContain('Seq Scan on memberships');
  });
});
