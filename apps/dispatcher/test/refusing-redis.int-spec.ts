import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { CallbackReceiver, eventually, patienceMs } from '@lanyard/testing';
import { Redis } from 'ioredis';
import { AddressGuard } from '../src/callback-client/address-guard.js';
import { CallbackSender } from '../src/callback-client/callback-sender.js';
import { DueChannels } from '../src/delivery/due-channels.js';
import { claimRetryDelayMs } from '../src/delivery/ready-loop.js';
import { OwnRedis } from './own-redis.js';
import { deliveryOf } from './parts.js';
import { anyTurn, queueBench } from './queue-bench.js';
import { TestSystem } from './test-system.js';

describe('a Redis that refuses for a while to hear what became of a request', () => {
  let redis: OwnRedis;
  beforeAll(async () => {
    redis = await OwnRedis.start();
  });
  const bench = queueBench(() => redis.url);
  const { register, numbered, append, numbersIn, claimed, expectCountersToBeRight } = bench;
  afterAll(() => redis?.stop());

  let receiver: CallbackReceiver;
  let sender: CallbackSender;

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    sender = new CallbackSender(new AddressGuard(['127.0.0.0/8']), bench.clock);
  });

  afterEach(async () => {
    sender.close();
    await receiver.stop();
  });

  /** What delivers begins with this command. */
  const allow = (isAllowed: boolean): Promise<unknown> =>
    redis.ask('ACL', 'SETUSER', 'default', isAllowed ? '+del' : '-del');

  it.each([200, 503])('repeats it as it was: it was answered %i', async (status) => {
    await redis.ask('ACL', 'LOG', 'RESET');
    await register();
    await append(numbered(2));
    receiver.answer((_, response) => {
      void allow(false).then(() => response.writeHead(status).end());
    });
    const target = { url: receiver.url, headers: {} };
    const delivery = deliveryOf({ queue: bench.queue, sender, clock: bench.clock, open: () => target });
    let isOver = false;
    const delivered = delivery.deliver(bench.channelId, anyTurn()).finally(() => (isOver = true));
    // The answer, and that the channel is free.
    const refused = /"count",([2-9]|\d\d)/;
    await eventually(async () => expect(JSON.stringify(await redis.ask('ACL', 'LOG'))).toMatch(refused));
    await allow(true);
    await eventually(async () => {
      await bench.clock.advance(1_000);
      expect(isOver).toBe(true);
    });
    await delivered;
    expect(receiver.deliveries).toHaveLength(1);
    await append([bench.event('{"n":2}')]);
    expect(numbersIn((await claimed(bench.other)).batch)).toEqual([0, 1]);
    await expectCountersToBeRight();
  });

  it('or to say who has the channel: nothing is sent, and the callback has not failed', async () => {
    const renew = (): Promise<boolean> => Promise.reject(new Error('BUSY Redis is busy running a script'));
    const message = { body: Buffer.from('{}'), permit: { holds: () => false, renew } };
    const sent = await sender.send('channel', { url: receiver.url, headers: {} }, message);
    expect(sent).toMatchObject({ ok: false, cause: 'withdrawn' });
    expect(receiver.calls).toHaveLength(0);
  });

  it('does not hold up a channel that has been due for less time, perhaps on another node', async () => {
    const channels = new DueChannels(bench.link, bench.keys, bench.clock, 'a#1');
    const [refused, other] = [newId(), newId()];
    for (const channelId of [refused, other]) {
      await register({ channelId });
      await append([bench.event('{"n":0}', { audience: [channelId] })]);
      await bench.clock.advance(1);
    }
    expect((await channels.find(1, new Set())).due).toEqual([refused]);
    expect((await channels.find(1, new Set([refused]))).due).toEqual([other]);
  });

  it('is not asked again at once for a channel that it does not let be claimed', async () => {
    const system = await TestSystem.create('refusing-redis');
    const refusals = async (): Promise<number> =>
      Number(/"count",(\d+)/.exec(JSON.stringify(await redis.ask('ACL', 'LOG')))?.[1] ?? 0);
    try {
      const service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
      const customer = await system.customer();
      await system.call(service, customer, 'PUT', 'callback', { url: receiver.url });
      receiver.answer(503);
      system.clock.slowDown();
      await system.value(customer, 1);
      await eventually(async () =>
        expect((await system.call(service, customer, 'GET', 'callback')).body).toMatchObject({ failures: 1 }),
      );
      const channels = service.app.get(DueChannels);
      const find = channels.find.bind(channels);
      let looks = 0;
      channels.find = (...args) => {
        looks++;
        return find(...args);
      };
      // The delay does not end within the test.
      system.clock.stretched.set(claimRetryDelayMs, 2 * patienceMs);
      await redis.ask('ACL', 'SETUSER', 'default', '-zrem');
      await redis.ask('ACL', 'LOG', 'RESET');
      system.clock.resume();
      system.clock.jump(1_000);
      await eventually(async () => expect(await refusals()).toBeGreaterThan(0));
      const before = looks;
      await eventually(() => looks > before + 5);
      expect(await refusals()).toBe(1);
    } finally {
      await redis.ask('ACL', 'SETUSER', 'default', '+zrem');
      await system.drop();
    }
  });
});

describe('a Redis that a script of another client keeps busy', () => {
  let redis: OwnRedis;
  let other: Redis;
  let system: TestSystem;

  beforeAll(async () => {
    redis = await OwnRedis.start();
    other = new Redis(redis.url);
    system = await TestSystem.create('busy-redis');
  });

  afterAll(async () => {
    other?.disconnect();
    await system?.drop();
    await redis?.stop();
  });

  it('is an outage for a channel that is registered once more, and no bug', async () => {
    const service = await system.startReplica('dispatcher-0', { REDIS_URL: redis.url });
    const customer = await system.customer();
    const register = async (): Promise<number> => (await system.call(service, customer, 'PUT', 'websocket')).status;
    expect([await register(), await register()]).toEqual([201, 200]);
    await redis.ask('CONFIG', 'SET', 'lua-time-limit', '1');
    const script = redis.ask('EVAL', 'while true do end', '0').catch(() => undefined);
    try {
      await eventually(() => expect(other.get('a key')).rejects.toThrow('BUSY'));
      expect(await register()).toBe(503);
    } finally {
      await other.script('KILL');
      await script;
    }
    await eventually(async () => expect(await register()).toBe(200));
  });
});
