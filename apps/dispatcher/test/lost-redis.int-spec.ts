import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { infrastructure, eventually, WebSocketClient } from '@lanyard/testing';
import { TestSystem, numbers, payloads } from './test-system.js';

/** So that a recovery takes longer than a client needs for a pong. */
const slowAnswerMs = 40;

/** So that some come while it lasts. */
const pongEveryMs = 60;

/** A way to Redis that can be cut, and has slow answers from then on. */
class Line {
  private readonly sockets = new Set<Socket>();
  private answerAfterMs = 0;
  private readonly server: Server = createServer((client) => this.accept(client));

  async open(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.answerAfterMs = slowAnswerMs;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(client: Socket): void {
    const { hostname, port } = new URL(infrastructure().redisUrl);
    const redis = connectTo({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => redis.write(bytes));
    redis.on('data', (bytes) => setTimeout(() => client.write(bytes), this.answerAfterMs));
  }
}

describe('a dispatcher that loses Redis', () => {
  const line = new Line();
  let system: TestSystem;
  let service: RunningService;

  beforeAll(async () => {
    system = await TestSystem.create('lost-redis');
    service = await system.startReplica('dispatcher-0', { REDIS_URL: await line.open() });
  });

  afterAll(async () => {
    await system?.drop();
    line.close();
  });

  it('sends what was not confirmed once more, and not twice because a pong came before it knew what Redis has', async () => {
    const customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket', { serialization: { max_chunk_size: 1 } });
    const client = await new WebSocketClient({ url: service.url, key: customer.key, echo: false }).opened();
    const received = (): string[] => payloads(client.events('notifications'));
    await system.values(customer, 0, 7);
    await eventually(() => expect(received()).toEqual(numbers(0, 7)));
    const pings = [...client.pings];
    line.cut();
    const ponging = setInterval(() => {
      const ping = pings.shift();
      if (ping) client.socket.pong(ping);
    }, pongEveryMs);
    try {
      await system.value(customer, 'after');
      await eventually(() => expect(received()).toContain('after'));
    } finally {
      clearInterval(ponging);
    }
    expect(received()).toEqual([...numbers(0, 7), ...numbers(0, 7), 'after']);
    client.cut();
  });
});
