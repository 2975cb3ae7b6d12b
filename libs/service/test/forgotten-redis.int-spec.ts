import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, it } from '@jest/globals';
import { eventually, infrastructure } from '@lanyard/testing';
import { Redis } from 'ioredis';
import { endWhenServerIsGone } from '../src/redis/lost-server.js';

const target = new URL(infrastructure().redisUrl);
const sockets: Socket[] = [];

/** Connections of an earlier generation are forgotten: they stay open, and nothing passes any more. */
let generation = 0;

const way = createServer((client) => {
  const own = generation;
  const server = connect({ host: target.hostname, port: Number(target.port) });
  const pass = (from: Socket, to: Socket): void => {
    sockets.push(from);
    from.on('data', (bytes) => own === generation && to.write(bytes));
    from.on('error', () => undefined).on('close', () => to.destroy());
  };
  pass(client, server);
  pass(server, client);
});

beforeAll(async () => {
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  way.close();
});

it.each([1_000, 200])(
  'a connection to Redis that the network has forgotten ends, though its server is still there (commands time out after %i ms)',
  async (commandTimeout) => {
    const url = new URL(target);
    url.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
    const redis = new Redis(url.href, { commandTimeout, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    endWhenServerIsGone(redis, 2);
    // The answer comes after that to the question for the server's id.
    await redis.ping();
    generation++;
    await eventually(async () => (await redis.ping()) === 'PONG');
    redis.disconnect();
  },
);
