import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger, StopDeadline } from '@lanyard/service';
import { eventually, type Isolation, isolate, keepAliveCalls } from '@lanyard/testing';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { storedChannel } from '../src/log/entries.store.js';
import { AppendNotifications } from '../src/tail/append-notifications.js';

/** A gate in front of PostgreSQL that can be shut. */
class TcpGate {
  knocks = 0;
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly behind: URL) {}

  async open(): Promise<string> {
    this.server = createServer((client) => {
      this.knocks++;
      const inside = connect(Number(this.behind.port), this.behind.hostname);
      for (const socket of [client, inside]) this.sockets.add(socket.on('error', () => undefined));
      client.pipe(inside).pipe(client);
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as { port: number }).port;
    return Object.assign(new URL(this.behind), { host: `127.0.0.1:${this.port}` }).href;
  }

  shut(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let isolation: Isolation;
let database: pg.Client;
let gate: TcpGate;
let notifications: AppendNotifications | undefined;

beforeAll(async () => {
  isolation = await isolate('append-notifications');
  database = new pg.Client({ connectionString: isolation.databaseUrl });
  await database.connect();
  gate = new TcpGate(new URL(isolation.databaseUrl));
});
afterAll(async () => {
  await notifications?.stop();
  gate?.shut();
  await database?.end();
  await isolation?.drop();
});

it('after PostgreSQL was away for a while, one connection gets notifications again', async () => {
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const attempts: string[] = [];
  const notified: (string | undefined)[] = [];
  logger.warn = ((_: object, text: string) => void attempts.push(text)) as typeof logger.warn;
  const config = { secrets: { databaseUrl: await gate.open(), identityKeys: [] } };
  const listening = new AppendNotifications(config, logger, new StopDeadline(logger));
  notifications = listening;
  listening.onAppend((accountId) => notified.push(accountId));
  // It sends nothing itself: without probes it would not miss a server whose machine is lost.
  expect(await keepAliveCalls(() => listening.start())).toContainEqual([true, 10_000]);
  expect(notified).toEqual([undefined]);
  gate.shut();
  await eventually(() => attempts.filter((text) => text.includes('down')).length >= 4);
  await gate.open();
  await eventually(() => notified.length > 1);
  await database.query(`SELECT pg_notify($1, 'an account')`, [storedChannel]);
  await eventually(() => notified.includes('an account'));
  expect(notified).toEqual([undefined, undefined, 'an account']);
  const { rows } = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'event-log-notifications'`,
  );
  expect([rows[0]?.n, gate.knocks]).toEqual([1, 2]);
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
