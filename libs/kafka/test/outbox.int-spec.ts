import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures, InvalidMessage } from '@lanyard/contracts';
import { createLogger, newId, openDatabase } from '@lanyard/service';
import { eventually, isolate, type Isolation } from '@lanyard/testing';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { Outbox, OutboxRelay, outboxTable } from '../src/index.js';
import { messageBytesMax } from '../src/connection/topic-settings.js';
import { outboxChannel } from '../src/outbox/outbox.js';
import { pageSql } from '../src/outbox/outbox-relay.js';
import { relaySettings } from '../src/outbox/relay-session.js';

const schema = 'announcing';
const outbox = new Outbox(schema, 'test');
const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const deviceId = newId();

const event = (n: number): DeviceEventReported => ({
  ...(fixtures(DeviceEvents).valid['client code'] as DeviceEventReported),
  deviceId,
  eventId: newId(),
  description: String(n),
});
const events = (from: number, count: number): DeviceEventReported[] =>
  Array.from({ length: count }, (_, n) => event(from + n));

describe('many announcements at once', () => {
  let isolation: Isolation;
  let database: DataSource;

  const open = (): Promise<DataSource> =>
    openDatabase({
      url: isolation.databaseUrl,
      schema,
      entities: [],
      migrations: [],
      applicationName: 'test',
    });

  beforeAll(async () => {
    isolation = await isolate('outbox');
    database = await open();
    await database.query(outboxTable);
  });

  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  const announce = (work: (manager: EntityManager) => Promise<void>): Promise<void> => database.transaction(work);

  it('go out in their order, with single ones before and behind', async () => {
    await announce(async (manager) => {
      await outbox.append(manager, DeviceEvents, event(0));
      await outbox.appendAll(manager, DeviceEvents, events(1, 5_100));
      await outbox.appendAll(manager, DeviceEvents, []);
      await outbox.append(manager, DeviceEvents, event(5_101));
    });
    const sent: number[] = [];
    const relay = new OutboxRelay({
      databaseUrl: isolation.databaseUrl,
      schema,
      logger,
      producer: {
        sendEncoded: async (_, { key, value }) => {
          expect(key).toBe(deviceId);
          sent.push(Number((JSON.parse(String(value)) as DeviceEventReported).description));
        },
      },
    });
    relay.start();
    await eventually(() => sent.length === 5_102);
    await relay.stop();
    expect(sent).toEqual(Array.from({ length: 5_102 }, (_, n) => n));
  });

  it('go out in pages of a few MiB where they are large, all of them before the relay stops', async () => {
    const mebibyte = 1_048_576;
    const sizes = [4 * mebibyte, ...Array<number>(20).fill(mebibyte)];
    const large = sizes.map((bytes, n) => ({ ...event(n), data: { large: 'x'.repeat(bytes) } }));
    await announce((manager) => outbox.appendAll(manager, DeviceEvents, large));
    const sent: number[] = [];
    let [bytes, bytesMax] = [0, 0];
    const relay = new OutboxRelay({
      databaseUrl: isolation.databaseUrl,
      schema,
      logger,
      producer: {
        sendEncoded: async (_, { value }) => {
          bytes += value?.length ?? 0;
          bytesMax = Math.max(bytesMax, bytes);
          sent.push(Number((JSON.parse(String(value)) as DeviceEventReported).description));
          await new Promise(setImmediate);
          bytes -= value?.length ?? 0;
        },
      },
    });
    relay.start();
    await eventually(() => sent.length > 0);
    await relay.stop();
    expect(sent).toEqual(Array.from(sizes, (_, n) => n));
    expect(bytesMax).toBeLessThan(10 * mebibyte);
  });

  it('fail the transaction of one that is too large for Kafka, behind which nothing would be sent', async () => {
    const large = { ...event(0), data: { large: 'x'.repeat(messageBytesMax) } };
    await expect(announce((manager) => outbox.append(manager, DeviceEvents, large))).rejects.toThrow(InvalidMessage);
    await expect(announce((manager) => outbox.appendAll(manager, DeviceEvents, [event(1), large]))).rejects.toThrow(
      InvalidMessage,
    );
    expect(() => outbox.announcement(DeviceEvents, large)).toThrow(InvalidMessage);
    expect(await database.query(`SELECT id FROM ${schema}.outbox_messages`)).toEqual([]);
  });

  it('are found by their index, though the relay made its plan when there were none', async () => {
    const session = new pg.Client({ connectionString: isolation.databaseUrl });
    await session.connect();
    try {
      await session.query(relaySettings(15_000));
      await session.query(`PREPARE page AS ${pageSql(`${schema}.outbox_messages`)}`);
      const { rows } = await session.query<{ 'QUERY PLAN': string }>('EXPLAIN EXECUTE page');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index Scan using outbox_messages_pkey');
      expect(plan).not.toContain('Seq Scan');
    } finally {
      await session.end();
    }
  });

  it('call the relay when their transaction has committed, and only then', async () => {
    const listener = new pg.Client({ connectionString: isolation.databaseUrl });
    const heard: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.connect();
    await listener.query(`LISTEN "${outboxChannel(schema)}"`);
    try {
      const undone = announce(async (manager) => {
        await outbox.append(manager, DeviceEvents, event(0));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await announce(async (manager) => {
        await manager.transaction((inner) => outbox.append(inner, DeviceEvents, event(1)));
        await database.query(`SELECT pg_notify($1, 'open')`, [outboxChannel(schema)]);
        await eventually(() => expect(heard).toEqual(['open']));
      });
      await eventually(() => expect(heard).toEqual(['open', '']));
      await outbox.append(database.manager, DeviceEvents, event(2));
      await eventually(() => expect(heard).toEqual(['open', '', '']));
    } finally {
      await listener.end();
      await database.query(`DELETE FROM ${schema}.outbox_messages`);
    }
  });

  it('go with the change of a row in one statement, in their order, or not at all', async () => {
    await database.query(`CREATE TABLE ${schema}.things (id text PRIMARY KEY, state text NOT NULL)`);
    const insertion = outbox.changing(`INSERT INTO ${schema}.things (id, state) VALUES ($1, $2)`, 2);
    const update = outbox.changing(`UPDATE ${schema}.things SET state = $2 WHERE id = $1 AND state <> $2`, 2);
    const facts = (count: number) => events(0, count).map((value) => outbox.announcement(DeviceEvents, value));
    const announced = async (): Promise<number[]> => {
      const rows = await database.query<{ value: Buffer }[]>(`SELECT value FROM ${schema}.outbox_messages ORDER BY id`);
      return rows.map(({ value }) => Number((JSON.parse(String(value)) as DeviceEventReported).description));
    };
    const { manager } = database;
    try {
      expect(await insertion.make(manager, ['a', 'new'], facts(12))).toBe(true);
      const twelve = Array.from({ length: 12 }, (_, n) => n);
      expect(await announced()).toEqual(twelve);
      expect(await update.make(manager, ['a', 'new'], facts(1))).toBe(false);
      expect(await update.make(manager, ['b', 'new'], facts(1))).toBe(false);
      await expect(insertion.make(manager, ['a', 'again'], facts(1))).rejects.toMatchObject({ code: '23505' });
      await expect(update.make(manager, ['a', 'NUL \0'], facts(1))).rejects.toMatchObject({ code: '22021' });
      const undone = announce(async (inner) => {
        expect(await update.make(inner, ['a', 'undone'], facts(1))).toBe(true);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await database.query(`SELECT id, state FROM ${schema}.things`)).toEqual([{ id: 'a', state: 'new' }]);
      expect(await announced()).toEqual(twelve);
    } finally {
      await database.query(`DELETE FROM ${schema}.outbox_messages`);
    }
  });

  it('call the relay of their own process directly while it leads, and no other', async () => {
    const connected = new Outbox(schema, 'test');
    const listener = new pg.Client({ connectionString: isolation.databaseUrl });
    const heard: (string | undefined)[] = [];
    let [leads, poked] = [true, 0];
    connected.connect({ pokeLeader: () => leads && ++poked > 0 });
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.connect();
    await listener.query(`LISTEN "${outboxChannel(schema)}"`);
    try {
      await announce((manager) => connected.append(manager, DeviceEvents, event(0)));
      expect(poked).toBe(1);
      leads = false;
      await announce((manager) => connected.append(manager, DeviceEvents, event(1)));
      await eventually(() => expect(heard).toEqual(['']));
    } finally {
      await listener.end();
      await database.query(`DELETE FROM ${schema}.outbox_messages`);
    }
  });

  describe('that may wait for others', () => {
    /** `insert`: announced within that time. `calls`: of the relay. */
    const waiting = (lingerMs: number) => {
      const own = new Outbox(schema, 'test');
      let calls = 0;
      own.connect({ pokeLeader: () => ++calls > 0 });
      const insertion = own.changing(`INSERT INTO ${schema}.patient (id) VALUES ($1)`, 1, lingerMs);
      const insert = async (manager: EntityManager): Promise<void> => {
        await insertion.make(manager, [newId()], [own.announcement(DeviceEvents, event(0))]);
      };
      return { own, insert, calls: () => calls };
    };

    beforeAll(async () => {
      await database.query(`CREATE TABLE ${schema}.patient (id text PRIMARY KEY)`);
    });
    afterAll(async () => {
      await database.query(`DELETE FROM ${schema}.outbox_messages`);
    });

    it('go out by themselves', async () => {
      const { insert, calls } = waiting(25);
      await insert(database.manager);
      expect(calls()).toBe(0);
      await eventually(() => calls() === 1);
      await announce(insert);
      await eventually(() => calls() === 2);
    });

    it('go out together', async () => {
      const lingerMs = 5_000;
      const { insert, calls } = waiting(lingerMs);
      const fromMs = performance.now();
      for (let n = 0; n < 3; n++) await announce(insert);
      const timesPassed = Math.floor((performance.now() - fromMs) / lingerMs);
      await eventually(() => calls() > 0);
      // A slow machine may still announce when the first ones have gone out.
      expect(calls()).toBeLessThanOrEqual(1 + timesPassed);
    });

    it('do not wait for those of another database', async () => {
      const { insert, calls } = waiting(1_000);
      const other = await open();
      try {
        for (const { manager } of [database, other]) await insert(manager);
        await eventually(() => calls() === 2);
      } finally {
        await other.destroy();
      }
    });

    it('go out with one that does not wait, behind them or in their transaction', async () => {
      const { own, insert, calls } = waiting(3_600_000);
      await insert(database.manager);
      expect(calls()).toBe(0);
      await own.append(database.manager, DeviceEvents, event(1));
      expect(calls()).toBe(1);
      await announce(async (manager) => {
        await own.append(manager, DeviceEvents, event(2));
        await manager.transaction(insert);
        expect(calls()).toBe(1);
      });
      expect(calls()).toBe(2);
    });

    it('go out though a part of their transaction was undone', async () => {
      const { insert, calls } = waiting(25);
      await announce(async (manager) => {
        await insert(manager);
        const undone = manager.transaction(async (inner) => {
          await insert(inner);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
      });
      await eventually(() => calls() === 1);
    });
  });

  it('are none when one of them is wrong', async () => {
    const wrong = { ...event(2), deviceId: 'x' };
    await expect(announce((m) => outbox.appendAll(m, DeviceEvents, [event(1), wrong]))).rejects.toThrow(/deviceId/);
    const [{ n }] = (await database.query(`SELECT count(*)::int AS n FROM ${schema}.outbox_messages`)) as [
      { n: number },
    ];
    expect(n).toBe(0);
  });
});
