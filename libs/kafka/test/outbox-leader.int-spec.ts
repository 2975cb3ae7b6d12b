import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures } from '@lanyard/contracts';
import { createLogger, Metrics, newId, openDatabase } from '@lanyard/service';
import { infrastructure, eventually, isolate, type Isolation } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { Outbox, OutboxRelay, outboxTable, type OutboxRelayOptions } from '../src/index.js';

const schema = 'led';
const outbox = new Outbox(schema, 'test');
const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

/** PostgreSQL by itself would take hours. */
const silenceMaxMs = 4_000;

/** For a relay that is to keep its place although this process, or PostgreSQL, stands still for some seconds. */
const lastingSilenceMs = 60_000;

/** Leads, and says what it sends. */
const leader = `
  const { OutboxRelay } = await import('@lanyard/kafka');
  const [databaseUrl, schema, silenceMaxMs] = process.argv.slice(1);
  const logger = { warn: () => undefined };
  const producer = { sendEncoded: async (_, { value }) => console.log(JSON.parse(String(value)).description) };
  new OutboxRelay({ databaseUrl, schema, silenceMaxMs: Number(silenceMaxMs), producer, logger }).start();
`;

const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const pass = (ms: number): Promise<void> => new Promise((passed) => setTimeout(passed, ms));

/** A way to PostgreSQL that counts requests, and on which, from some time on, nothing arrives any more. */
const silentLine = async () => {
  const sockets = new Set<Socket>();
  let silent = false;
  let requests = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(infrastructure().databaseUrl);
    const database = connect({ host: hostname, port: Number(port) });
    const pipe = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => silent || to.write(bytes));
      from.on('close', () => silent || to.destroy());
    };
    client.on('data', () => requests++);
    pipe(client, database);
    pipe(database, client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size / 2,
    requestsWithin: async (ms: number): Promise<number> => {
      const before = requests;
      await pass(ms);
      return requests - before;
    },
    /** How long so many requests take from now on. */
    msFor: async (count: number): Promise<number> => {
      const [until, fromMs] = [requests + count, performance.now()];
      await eventually(() => requests >= until);
      return performance.now() - fromMs;
    },
    silence: () => (silent = true),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe('the leader among the relays of an outbox', () => {
  let isolation: Isolation;
  let database: DataSource;
  let begun: string[];
  let sent: string[];
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    isolation = await isolate('outbox-leader');
    const { databaseUrl: url } = isolation;
    database = await openDatabase({ url, schema, entities: [], migrations: [], applicationName: 'test' });
    await database.query(outboxTable);
  });

  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  beforeEach(async () => {
    begun = [];
    sent = [];
    await database.query(`DELETE FROM ${schema}.outbox_messages`);
  });

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const announce = (description: string, into = outbox): Promise<void> => {
    const base = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;
    return into.append(database.manager, DeviceEvents, { ...base, deviceId: newId(), eventId: newId(), description });
  };

  /** The relay has deleted what it sent. */
  const emptied = (): Promise<void> =>
    eventually(async () => expect(await database.query(`SELECT id FROM ${schema}.outbox_messages`)).toEqual([]));

  const relay = (name: string, options: Partial<OutboxRelayOptions> = {}, firstTakesMs = 0): OutboxRelay => {
    const started = new OutboxRelay({
      databaseUrl: isolation.databaseUrl,
      schema,
      logger,
      silenceMaxMs: lastingSilenceMs,
      producer: {
        sendEncoded: async (_, { value }) => {
          if (begun.push(name) === 1) await pass(firstTakesMs);
          sent.push(`${name} ${(JSON.parse(String(value)) as DeviceEventReported).description}`);
        },
      },
      ...options,
    });
    started.start();
    ends.push(() => started.stop());
    return started;
  };

  const leaderElsewhere = async (): Promise<ChildProcess> => {
    const args = [isolation.databaseUrl, schema, String(silenceMaxMs)];
    const child = spawn(process.execPath, ['--input-type=module', '-e', leader, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ends.push(() => child.kill('SIGKILL'));
    createInterface({ input: child.stdout }).on('line', (line) => sent.push(`elsewhere ${line}`));
    await announce('first');
    await eventually(() => expect(sent).toEqual(['elsewhere first']));
    // A process that is frozen before it has deleted what it sent makes it come twice.
    await emptied();
    return child;
  };

  it('that is frozen is succeeded by another one, and sends nothing when it resumes', async () => {
    const frozen = await leaderElsewhere();
    relay('here');
    frozen.kill('SIGSTOP');
    await announce('second');
    await eventually(() => expect(sent).toContain('here second'));
    frozen.kill('SIGCONT');
    for (const each of ['third', 'fourth']) {
      await announce(each);
      await eventually(() => expect(sent).toContain(`here ${each}`));
      await pass(silenceMaxMs / 2);
    }
    expect(sent).toEqual(['elsewhere first', 'here second', 'here third', 'here fourth']);
  });

  it('that stood still with rows in its hands does not send them', async () => {
    // The relay notes how old the rows are that it has just read.
    const metrics = new Metrics('test', 'test');
    const age = metrics.gauge({ name: 'lanyard_outbox_lag_seconds', help: 'x', labelNames: ['schema'] });
    let still = false;
    age.set = (_: unknown, seconds?: number) => {
      if (still && seconds) standStill(1.5 * silenceMaxMs);
      still &&= !seconds;
    };
    relay('one', { metrics, silenceMaxMs });
    await announce('first');
    await eventually(() => expect(sent).toEqual(['one first']));
    relay('two');
    still = true;
    await announce('second');
    await eventually(() => expect(sent).toHaveLength(2));
    await announce('third');
    await eventually(() => expect(sent).toHaveLength(3));
    expect(sent.map((each) => each.split(' ')[1])).toEqual(['first', 'second', 'third']);
  });

  it('that loses its session while it takes over the name of its producer does not send the rows in its hands', async () => {
    let isLost = false;
    const takeOver = async (): Promise<void> => {
      if (isLost) return;
      isLost = true;
      await database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
        `${schema}-outbox`,
      ]);
      relay('two');
      await eventually(() => expect(sent).toEqual(['two first']));
    };
    relay('one', { producer: { takeOver, sendEncoded: async () => void sent.push('one') } });
    await announce('first');
    await eventually(() => expect(sent).toContain('two first'));
    await announce('second');
    await eventually(() => expect(sent).toContain('two second'));
    expect(sent).toEqual(['two first', 'two second']);
  });

  it('reports the lag; the one that it succeeds after Kafka was away does not keep its own', async () => {
    const lagIn = async (metrics: Metrics): Promise<number[]> =>
      [...(await metrics.registry.metrics()).matchAll(/^lanyard_outbox_lag_seconds\{.*\} (.+)$/gm)].map(([, lag]) =>
        Number(lag),
      );
    const [one, two] = [new Metrics('test', 'one'), new Metrics('test', 'two')];
    relay('one', { metrics: one, producer: { sendEncoded: () => Promise.reject(new Error('Kafka is away')) } });
    await database.query(
      `INSERT INTO ${schema}.outbox_messages (topic, message_key, value, headers, created_at)
       VALUES ('topic', 'key', NULL, '{}', now() - interval '1 minute')`,
    );
    await eventually(async () => expect((await lagIn(one))[0]).toBeGreaterThan(30));
    relay('two', { metrics: two, producer: { sendEncoded: async () => void sent.push('two') } });
    await eventually(() => expect(sent).toEqual(['two']));
    await eventually(async () => expect(await lagIn(two)).toEqual([0]));
    await eventually(async () => expect(await lagIn(one)).toEqual([]));
  });

  it('that has nothing to do, or waits for Kafka, stays', async () => {
    // It would lose its place if this process stood still for as long.
    const longerMs = 3 * silenceMaxMs;
    const longEnoughMs = 1.25 * longerMs;
    // Another outbox, so that both leaders are silent at the same time.
    const quietSchema = `${schema}_quiet`;
    const quietOutbox = new Outbox(quietSchema, 'test');
    await database.query(`CREATE SCHEMA ${quietSchema}`);
    await database.query(outboxTable.replace('outbox_messages', `${quietSchema}.outbox_messages`));
    relay('busy', { silenceMaxMs: longerMs }, longEnoughMs);
    await announce('first');
    await eventually(() => expect(begun).toEqual(['busy']));
    relay('successor');
    relay('quiet', { schema: quietSchema, silenceMaxMs: longerMs });
    await announce('first', quietOutbox);
    await eventually(() => expect(sent).toContain('quiet first'));
    relay('successor', { schema: quietSchema });
    await pass(longEnoughMs);
    await eventually(() => expect(sent).toContain('busy first'));
    for (const into of [outbox, quietOutbox]) await announce('second', into);
    await eventually(() =>
      expect(sent.toSorted()).toEqual(['busy first', 'busy second', 'quiet first', 'quiet second']),
    );
  });

  it('to which Kafka gives no fence sends without one, and says so', async () => {
    const said: object[] = [];
    const noting = Object.assign(Object.create(logger), { warn: (details: object) => void said.push(details) });
    const err = new Error('not authorized for the transactional id');
    const sendEncoded = async (): Promise<void> => void sent.push('sent');
    relay('one', { logger: noting, producer: { takeOver: () => Promise.reject(err), sendEncoded } });
    await announce('first');
    await eventually(() => expect(sent).toEqual(['sent']));
    await announce('second');
    await eventually(() => expect(sent).toEqual(['sent', 'sent']));
    expect(said).toEqual([{ err, schema }]);
  });

  /** The address of the database on this line. */
  const over = (line: { port: number; close: () => void }): string => {
    const databaseUrl = new URL(isolation.databaseUrl);
    databaseUrl.port = String(line.port);
    ends.push(() => line.close());
    return databaseUrl.href;
  };

  it('is asked for once a second while there is nothing to send, and often when there is', async () => {
    const line = await silentLine();
    const leading = relay('one');
    await announce('first');
    await eventually(() => expect(sent).toEqual(['one first']));
    // Otherwise the next one would ask often for 10 s.
    await emptied();
    relay('two', { databaseUrl: over(line) });
    await eventually(() => expect(line.connections()).toBe(1));
    await eventually(async () => expect(await line.requestsWithin(3_000)).toBeLessThan(7));
    // Once a second, these take 7 s or more. A slow machine may not have the time for them before that is so again.
    await eventually(async () => {
      await announce('second');
      expect(await line.msFor(10)).toBeLessThan(5_000);
    });
    await leading.stop();
    await announce('third');
    await eventually(() => expect([...new Set(sent)]).toEqual(['one first', 'one second', 'two third']));
  });

  it('whose connection leads nowhere makes another one', async () => {
    const line = await silentLine();
    // Longer than the pause between polls. On a slow machine, the session may end all the same: the event comes again.
    relay('one', { databaseUrl: over(line), silenceMaxMs: silenceMaxMs / 2 });
    await announce('first');
    await eventually(() => expect(sent).toContain('one first'));
    line.silence();
    const before = line.connections();
    await eventually(() => expect(line.connections()).toBeGreaterThan(before));
  });
});
