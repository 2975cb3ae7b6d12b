import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger, StopDeadline } from '@lanyard/service';
import { eventually, type Isolation, isolate, keepAliveCalls, TcpLine } from '@lanyard/testing';
import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { storedChannel } from '../src/log/entries.store.js';
import { AppendNotifications } from '../src/tail/append-notifications.js';

let isolation: Isolation;
let database: pg.Client;
let line: TcpLine;
let notifications: AppendNotifications | undefined;

beforeAll(async () => {
  isolation = await isolate('append-notifications');
  database = new pg.Client({ connectionString: isolation.databaseUrl });
  await database.connect();
  line = await TcpLine.open(isolation.databaseUrl);
});
afterAll(async () => {
  await notifications?.stop();
  line?.close();
  await database?.end();
  await isolation?.drop();
});

it('after PostgreSQL was away for a while, one connection gets notifications again', async () => {
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const attempts: string[] = [];
  const notified: (string | undefined)[] = [];
  logger.warn = ((_: object, text: string) => void attempts.push(text)) as typeof logger.warn;
  const config = { secrets: { databaseUrl: line.url, identityKeys: [] } };
  const listening = new AppendNotifications(config, logger, new StopDeadline(logger));
  notifications = listening;
  listening.onAppend((accountId) => notified.push(accountId));
  // It sends nothing itself: without probes it would not miss a server whose machine is lost.
  expect(await keepAliveCalls(() => listening.start())).toContainEqual([true, 10_000]);
  expect(notified).toEqual([undefined]);
  line.refuse();
  await eventually(() => attempts.filter((text) => text.includes('down')).length >= 4);
  const refused = line.connectionAttempts;
  line.heal();
  await eventually(() => notified.length > 1);
  await database.query(`SELECT pg_notify($1, 'an account')`, [storedChannel]);
  await eventually(() => notified.includes('an account'));
  expect(notified).toEqual([undefined, undefined, 'an account']);
  const { rows } = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'event-log-notifications'`,
  );
  expect([rows[0]?.n, line.connectionAttempts - refused]).toEqual([1, 1]);
});

it('gives up a server that accepts the connection and does not answer', async () => {
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const silent = createServer((client) => void client.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const databaseUrl = Object.assign(new URL(isolation.databaseUrl), { host: `127.0.0.1:${port}` }).href;
  const config = { secrets: { databaseUrl, identityKeys: [] } };
  const listening = new AppendNotifications(config, logger, new StopDeadline(logger));
  await expect(listening.start()).rejects.toThrow('timeout expired');
  silent.close();
});
