/**
 * R3 and R4: sends messages that were made beforehand over a number of connections.
 *
 *   node bench/dispatch/bare-sender.ts put URL CONNECTIONS BYTES       PUT with undici to URL/n
 *   node bench/dispatch/bare-sender.ts websocket - CONNECTIONS BYTES   `ws.send` to every client
 *
 * With REDIS_URL CHUNKS KEY... after that, each connection empties a queue in Redis instead, with CHUNKS chunks in a message: it
 * only reads, joins, sends and removes, without claims or limits, and without checks of what else happened to the queue.
 *
 * Says `ready PORT` (0 for put). Then each line on standard input is a number of messages to send on each connection.
 */
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { WebSocketServer } from 'ws';
import { sayPort } from '../../tools/testing/program.ts';

const [mode = '', url = '', connections = '1', bytes = '1', redisUrl, chunks = '1', ...keys] = process.argv.slice(2);
const count = Number(connections);
const body = Buffer.alloc(Number(bytes), 0x61);
const redis = redisUrl === undefined ? undefined : new Redis(redisUrl);

/** The events of a chunk of the dispatcher's queues (`apps/dispatcher/src/queue/chunk.ts`). */
const eventsOf = (chunk: Buffer) => chunk.subarray(13 + 4 * chunk.readUInt32BE(1));

const joined = (read: Buffer[]) => {
  const parts = read.flatMap((chunk, n) => [Buffer.from(n === 0 ? '{"notifications":[' : ','), eventsOf(chunk)]);
  return Buffer.concat([...parts, Buffer.from(']}')]);
};

/** The next message of a connection, once the previous one has arrived. */
const nextBody = (n: number) => {
  const key = keys[n];
  if (!redis || key === undefined) return () => body;
  let [before, sent] = [0, 0];
  return async () => {
    const pipeline = redis.pipeline();
    if (before > 0) pipeline.ltrim(key, before, -1).hset(`${key}:sent`, 'to', ++sent);
    const replies = await pipeline.lrangeBuffer(key, 0, Number(chunks) - 1).exec();
    const read = replies?.at(-1)?.[1] as Buffer[];
    before = read.length;
    return joined(read);
  };
};

const senders: ((messages: number) => Promise<void>)[] = [];
if (mode === 'put') {
  for (let n = 0; n < count; n++) {
    const pool = new Pool(new URL(url).origin, { connections: 1, pipelining: 1 });
    const headers = { 'content-type': 'application/json' };
    senders.push(async (messages) => {
      const next = nextBody(n);
      for (let m = 0; m < messages; m++) {
        const answer = await pool.request({ method: 'PUT', path: `/${n}`, headers, body: await next() });
        await answer.body.dump();
      }
    });
  }
  process.stdout.write('ready 0\n');
} else {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    const n = senders.length;
    senders.push(async (messages) => {
      const next = nextBody(n);
      for (let m = 0; m < messages; m++) {
        const message = await next();
        await new Promise((sent) => socket.send(message, { binary: false }, sent));
      }
    });
  });
  server.on('listening', () => sayPort(server));
}
createInterface({ input: process.stdin }).on('line', (line) => {
  for (const send of senders) void send(Number(line));
});
