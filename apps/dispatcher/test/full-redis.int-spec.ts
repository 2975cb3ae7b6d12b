import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually, WebSocketClient } from '@lanyard/testing';
import { cursorAfter } from '../src/queue/event-batch.js';
import { type Customer, TestSystem, numbers, payloads } from './test-system.js';
import { OwnRedis } from './own-redis.js';
import { accountId, hourMs, queueBench } from './queue-bench.js';

const refused = /OOM/;

describe('a Redis whose memory is full', () => {
  let redis: OwnRedis;

  beforeAll(async () => {
    redis = await OwnRedis.start();
  });

  afterEach(() => redis.room());

  afterAll(() => redis?.stop());

  describe('in commands on queues', () => {
    const bench = queueBench(() => redis.url);
    const { register, event, numbered, append, claimed, numbersIn, expectCountersToBeRight } = bench;

    const attach = (kind: 'websocket' | 'pull', conn = 'c1') =>
      bench.queue.attach(bench.channelId, accountId, { conn, mode: 'newest', kind });

    const attached = async (kind: 'websocket' | 'pull', conn?: string) => {
      const taken = await attach(kind, conn);
      if (taken.outcome !== 'ok') throw new Error(taken.outcome);
      return taken;
    };

    const positions = (): Promise<Record<string, string>> =>
      bench.link.redis.hgetall(bench.keys.ofChannel(bench.channelId).positions);

    it('takes no events and no channels, and nothing of what it refused', async () => {
      await register();
      await append(numbered(1));
      const before = await positions();
      await redis.full();
      await expect(append(numbered(1))).rejects.toThrow(refused);
      await expect(register({ channelId: newId() })).rejects.toThrow(refused);
      expect(await positions()).toEqual(before);
      await expectCountersToBeRight();
    });

    it('delivers to a callback until nothing is left', async () => {
      await register({ eventsMax: 2 });
      await append(numbered(5));
      await redis.full();
      const claim = await claimed();
      expect(await bench.queue.holds(claim.hold, claim.revision)).toBe(true);
      const next = await bench.queue.ack(claim.hold, claim.batch, 'next');
      if (next.outcome !== 'next') throw new Error(next.outcome);
      expect(await bench.queue.ack(claim.hold, next.batch, 'release')).toEqual({ outcome: 'released', more: true });
      const last = await claimed();
      expect(numbersIn(last.batch)).toEqual([4]);
      expect(await bench.queue.ack(last.hold, last.batch, 'next')).toEqual({ outcome: 'released', more: false });
      await expectCountersToBeRight();
    });

    it('lets a part of a chunk be confirmed', async () => {
      await register({ eventsMax: 1 });
      await append(numbered(3));
      const { hold, batch } = await claimed();
      await redis.full();
      expect(await bench.queue.confirm(hold, batch)).toBe(true);
      await expectCountersToBeRight();
    });

    it('a callback that fails waits for its turn, and others have its place', async () => {
      await register();
      await append(numbered(2));
      const { hold, batch, revision } = await claimed();
      await redis.full();
      expect(await bench.queue.fail(hold, batch, 1_000, revision)).toMatchObject({ attempt: 1 });
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      await bench.clock.advance(1_000);
      await bench.queue.postpone(bench.channelId, 500);
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      await bench.clock.advance(500);
      expect(await claimed()).toMatchObject({ attempt: 1 });
    });

    it('a free account gives up what fails', async () => {
      await register({ tier: 'free' });
      await append(numbered(2));
      await redis.full();
      for (const givenUp of [0, 2]) {
        const { hold, batch, revision } = await claimed();
        expect(await bench.queue.fail(hold, batch, 0, revision)).toMatchObject({ givenUp });
      }
    });

    it('a socket takes its channel, reads, confirms and lets go', async () => {
      await register({ kind: 'websocket', eventsMax: 2 });
      await append(numbered(3));
      await redis.full();
      const { hold, cursor } = await attached('websocket');
      const first = await bench.queue.readBatch(hold, cursor);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      const second = await bench.queue.readBatch(hold, cursorAfter(first.cursor, first.batch));
      expect(second).toMatchObject({ outcome: 'ok', batch: { count: 1 } });
      expect(await bench.queue.confirm(hold, first.batch)).toBe(true);
      const newer = await attached('websocket', 'c2');
      expect(newer.previous).toEqual({ owner: 'a#1', conn: 'c1' });
      expect(await bench.queue.detach(newer.hold)).toBe(true);
    });

    it('a poll confirms what the one before it got, unless that did not arrive', async () => {
      await register({ kind: 'pull' });
      await append(numbered(2));
      const first = await attached('pull');
      await redis.full();
      expect(await bench.queue.detach(first.hold, 2)).toBe(true);
      await bench.queue.requeuePending(bench.channelId, 2, first.incarnation);
      const second = await attached('pull');
      expect(second.cursor.head).toBe(0);
      await bench.queue.detach(second.hold, 2);
      expect((await attached('pull')).cursor.head).toBe(2);
    });

    it('what a replica held that is gone is free', async () => {
      await register();
      await append(numbered(1));
      await claimed();
      await redis.full();
      await bench.releaseHeld('a#1');
      expect(await claimed(bench.other)).toBeDefined();
    });

    it('rules of time end channels, and events', async () => {
      await register({ kind: 'websocket' });
      await append([event('{"n":1}')]);
      await redis.full();
      expect(await bench.registry.claimExpired()).toEqual([]);
      await bench.clock.advance(24 * hourMs);
      expect(await bench.registry.claimExpired()).toEqual([{ channelId: bench.channelId, rule: 'no-socket' }]);
      await bench.clock.advance(1);
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0, dropped: { age: 1 } });
    });

    it.each(['held', 'free'])('a channel that is %s can be closed and removed', async (how) => {
      await register({ kind: 'websocket' });
      await append(numbered(3));
      if (how === 'held') await attached('websocket');
      await redis.full();
      expect(await bench.registry.close(bench.channelId, '9')).toMatchObject({ events: 3 });
      await bench.registry.remove(bench.channelId, '9');
      expect(await bench.registry.inspect(bench.channelId)).toBeUndefined();
    });

    it('a held channel is removed that was not closed before', async () => {
      await register({ kind: 'websocket' });
      await attached('websocket');
      await redis.full();
      await bench.registry.remove(bench.channelId, '9');
      expect(await bench.registry.inspect(bench.channelId)).toBeUndefined();
    });

    it('is told from one that lost everything', async () => {
      const [mark] = await bench.registry.generations();
      await bench.registry.fixShardCount();
      await redis.full();
      expect(await bench.registry.generations()).toEqual([mark]);
      expect(await bench.registry.fixShardCount()).toBe(1);
    });

    it('takes events again when a dead channel is gone', async () => {
      const alive = newId();
      await register();
      await register({ channelId: alive });
      const large = (audience: string): ReturnType<typeof event> =>
        event(JSON.stringify({ payload: 'x'.repeat(100_000) }), { audience: [audience] });
      for (let n = 0; n < 20; n++) await append([large(bench.channelId)]);
      await redis.room(-1_000_000);
      await expect(append([large(alive)])).rejects.toThrow(refused);
      await bench.registry.close(bench.channelId, '9');
      await bench.registry.remove(bench.channelId, '9');
      expect(await append([large(alive)])).toMatchObject({ events: 1 });
    });
  });

  it('a customer receives what is queued and can delete the channel, a replica starts again; then delivery resumes', async () => {
    const system = await TestSystem.create('full-redis');
    try {
      let service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
      const [customer, another] = [await system.customer(), await system.customer()];
      for (const each of [customer, another]) await system.call(service, each, 'PUT', 'websocket');
      const size = (each = customer) => system.call(service, each, 'GET', 'websocket');
      await system.values(customer, 0, 5);
      await eventually(async () => expect((await size()).body).toMatchObject({ queue_size: 5 }));
      await redis.full();
      await system.value(another, 'later');
      const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
      await eventually(() => expect(payloads(client.events('notifications'))).toEqual(numbers(0, 5)));
      await eventually(async () => expect((await size()).body).toMatchObject({ queue_size: 0 }));
      expect((await system.call(service, customer, 'DELETE', 'websocket')).status).toBe(204);
      await eventually(() => expect(client.closed?.code).toBe(1001));
      expect((await size(another)).body).toMatchObject({ queue_size: 0 });
      await service.stop();
      service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
      await redis.room();
      await eventually(async () => expect((await size(another)).body).toMatchObject({ queue_size: 1 }));
    } finally {
      await system.drop();
    }
  });

  it('a replica starts although a channel has no room, and delivers what is queued; then the channel gets its events', async () => {
    const system = await TestSystem.create('full-at-start');
    try {
      let service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
      const [customer, late] = [await system.customer(), await system.customer()];
      await system.call(service, customer, 'PUT', 'websocket');
      const size = (each: Customer) => system.call(service, each, 'GET', 'websocket');
      await system.values(customer, 0, 5);
      await eventually(async () => expect((await size(customer)).body).toMatchObject({ queue_size: 5 }));
      await redis.full();
      // PostgreSQL has it.
      expect((await system.call(service, late, 'PUT', 'websocket')).status).toBe(503);
      await service.stop();
      service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
      await system.value(late, 'later');
      const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
      await eventually(() => expect(new Set(payloads(client.events('notifications')))).toEqual(new Set(numbers(0, 5))));
      client.cut();
      await redis.room();
      await eventually(async () => expect((await size(late)).body).toMatchObject({ queue_size: 1 }));
    } finally {
      await system.drop();
    }
  });
});
