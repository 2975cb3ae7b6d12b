/**
 * The proxy of a bare chain from a command to its answer: stores the command in PostgreSQL before it answers 202, sends the device
 * one datagram, stores the answer, and then sends it to Kafka. It has no devices, sessions, queues, claims or retries, checks
 * nothing, and has no outbox: if it is killed between the last two steps, the answer is lost.
 *
 *   node bench/devices/bare-command-proxy.ts DATABASE_URL BROKERS TOPIC DEVICE_PORT   says `ready PORT`
 */
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import pg from 'pg';
import { sayPort } from '../../tools/testing/program.ts';

const [connectionString = '', brokers = '', topic = '', devicePort = ''] = process.argv.slice(2);

const pool = new pg.Pool({ connectionString, idleTimeoutMillis: 0 });
await pool.query(
  `CREATE TABLE bare_commands (id text PRIMARY KEY, device_id text NOT NULL, async_id text NOT NULL, method text NOT NULL,
     path text NOT NULL, accepted_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz, result bytea)`,
);
const insertion = {
  name: 'insertion',
  text: 'INSERT INTO bare_commands (id, device_id, async_id, method, path) VALUES ($1, $2, $3, $4, $5)',
};
const completion = {
  name: 'completion',
  text: 'UPDATE bare_commands SET finished_at = now(), result = $2 WHERE id = $1',
};

const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
const kafka = new KafkaConnection({ brokers: brokers.split(','), clientId: 'bare', logger });
const producer = new KafkaProducer(kafka, { source: 'bench' });
await producer.connect();

const socket = createSocket({ type: 'udp4', lookup: (host, _, done) => done(null, host, 4) });
const waiting = new Map<string, (payload: Buffer) => void>();
socket.on('message', (payload) => waiting.get(payload.toString())?.(payload));

/** The device sends the datagram that it receives back as its answer. */
const answerOf = async (id: string) => {
  const answered = new Promise<Buffer>((resolve) => waiting.set(id, resolve));
  socket.send(id, Number(devicePort), '127.0.0.1');
  const payload = await answered;
  waiting.delete(id);
  return payload;
};

const commandOf = async (request: IncomingMessage) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://bare');
  const { method, uri } = (await json(request)) as { method: string; uri: string };
  return { deviceId: pathname.split('/').at(-1) ?? '', asyncId: searchParams.get('async-id'), method, uri };
};

const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
  const { deviceId, asyncId, method, uri } = await commandOf(request);
  const id = randomUUID();
  await pool.query({ ...insertion, values: [id, deviceId, asyncId, method, uri] });
  response.statusCode = 202;
  response.end();
  const payload = await answerOf(id);
  await pool.query({ ...completion, values: [id, payload] });
  const item = { id: asyncId, status: 200, payload: payload.toString('base64') };
  await producer.sendTo(topic, { key: deviceId, value: JSON.stringify(item), headers: {} });
});
server.listen(0, '127.0.0.1', () => sayPort(server));
