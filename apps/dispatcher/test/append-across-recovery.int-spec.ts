import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, infrastructure, eventually } from '@lanyard/testing';
import { Keys, type ShardKeys } from '../src/queue/keys.js';
import { scripts } from '../src/queue/scripts.js';
import { type Customer, numbers, payloads, TestSystem } from './test-system.js';

const appendCommand = Buffer.from(scripts['append'].sha);

/** A way to Redis on which one append can be made to arrive late, as a cluster makes it that sends it again. */
class Line {
  /** The connection on which an append was held back, and what was sent on it since. */
  held: { client: Socket; sent: Buffer[]; release: () => void } | undefined;
  private isHolding = false;
  private readonly clients = new Set<Socket>();
  private readonly server: Server = createServer((client) => this.accept(client));

  async open(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  holdNextAppend(): void {
    this.isHolding = true;
    this.held = undefined;
  }

  cutOthers(): void {
    for (const client of this.clients) if (client !== this.held?.client) client.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    for (const client of this.clients) client.destroy();
  }

  private accept(client: Socket): void {
    const { hostname, port } = new URL(infrastructure().redisUrl);
    const redis = connectTo({ host: hostname, port: Number(port) });
    this.clients.add(client);
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.clients.delete(client);
        other.destroy();
      });
    }
    let waiting: Buffer[] | undefined;
    const release = (): void => {
      for (const bytes of waiting ?? []) redis.write(bytes);
      waiting = undefined;
    };
    client.on('data', (bytes) => {
      if (waiting) waiting.push(bytes);
      else if (this.isHolding && bytes.includes(appendCommand)) {
        this.isHolding = false;
        waiting = [bytes];
        this.held = { client, sent: waiting, release };
      } else redis.write(bytes);
    });
    redis.on('data', (bytes) => client.write(bytes));
  }
}

describe('a Redis that is lost while an append is on its way', () => {
  const line = new Line();
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  let shard: ShardKeys;

  beforeAll(async () => {
    system = await TestSystem.create('across-recovery');
    const environment = { REDIS_URL: await line.open(), DISPATCHER_QUEUE_SHARDS: '1' };
    service = await system.startReplica('dispatcher-0', environment);
    shard = new Keys(system.isolation.redisPrefix, 1).ofChannel('any');
  });

  afterAll(async () => {
    await system?.drop();
    line.close();
  });

  const queued = async (): Promise<string[]> => {
    const chunks = await system.redis.lrangeBuffer(shard.queue(customer.keyId), 0, -1);
    const found = chunks.flatMap((chunk) => [...chunk.toString('latin1').matchAll(/"payload":"([^"]+)"/g)]);
    return found.map(([, payload]) => Buffer.from(payload ?? '', 'base64').toString()).sort();
  };

  /** The recovery is over when the positions are asked for, behind the append that is held back. */
  const isOver = (sent: readonly Buffer[]): boolean =>
    /hmget\r\n.*\r\n.*positions/.test(Buffer.concat(sent).toString('latin1'));

  const hold = async (): Promise<NonNullable<Line['held']>> => {
    line.holdNextAppend();
    return eventually(() => {
      if (!line.held) throw new Error('no append was held back');
      return line.held;
    });
  };

  it('is given again what it lost, although the append arrives after the recovery', async () => {
    customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket', {});
    const device = newId();
    await system.values(customer, 1, 5, device);
    await eventually(async () => expect(await queued()).toEqual(['1', '2', '3', '4', '5']));
    const keys = [shard.positions, shard.channel(customer.keyId), shard.queue(customer.keyId)];
    const before = await Promise.all(keys.map((key) => system.redis.dumpBuffer(key)));
    await system.values(customer, 6, 3, device);
    await eventually(async () => expect(await queued()).toHaveLength(8));
    let last = 8;
    /** Holds an append back until the recovery is over, and returns what releases it. */
    const lateAppend = async (): Promise<() => void> => {
      const holding = hold();
      await system.value(customer, ++last, device);
      const { client, sent, release } = await holding;
      // What a replica that takes over does not have: 6 and all behind it, and the positions behind them.
      for (const [n, key] of keys.entries()) await system.redis.restore(key, 0, before[n] as Buffer, 'REPLACE');
      line.cutOthers();
      await eventually(() => client.destroyed || isOver(sent));
      if (!client.destroyed) return release;
      // On a busy machine, the service may have given up the append, for which it waits 5 s.
      await eventually(async () => expect(new Set(await queued()).size).toBe(last));
      return lateAppend();
    };
    (await lateAppend())();
    const all = Array.from({ length: last }, (_, n) => String(n + 1));
    await eventually(async () => expect(new Set(await queued())).toEqual(new Set(all)));
  });

  it('keeps no callback from its events, although the append claims it after the recovery', async () => {
    const receiver = await new CallbackReceiver().start();
    customer = await system.customer();
    await system.call(service, customer, 'PUT', 'callback', { url: receiver.url });
    let last = 0;
    /** The next append claims the callback: its target is known, and nothing waits for it. */
    const deliverNext = async (): Promise<void> => {
      await system.value(customer, ++last);
      await eventually(() => expect(payloads(receiver.events('notifications'))).toContain(String(last)));
      await eventually(async () => {
        const { body } = await system.call(service, customer, 'GET', 'callback');
        expect(body).toMatchObject({ queue_size: 0 });
      });
    };
    const lateAppend = async (): Promise<() => void> => {
      await deliverNext();
      const holding = hold();
      await system.value(customer, ++last);
      const { client, sent, release } = await holding;
      line.cutOthers();
      await eventually(() => client.destroyed || isOver(sent));
      // As above, on a busy machine.
      return client.destroyed ? lateAppend() : release;
    };
    (await lateAppend())();
    await deliverNext();
    expect(new Set(payloads(receiver.events('notifications')))).toEqual(new Set(numbers(1, last)));
    await receiver.stop();
  });
});
