import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf, eventually, parseMessage } from '@lanyard/testing';
import { Sweeper } from '../src/channels/sweeper.js';
import { Keys } from '../src/queue/keys.js';
import { payloads, TestSystem } from './test-system.js';

const withoutPollMs = 600_000;

describe('a dispatcher that was away for longer than a channel may be without a poll', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('absent-service');
  });

  afterAll(() => system?.drop());

  it('keeps the channel and its events until its client can poll again', async () => {
    const before = await system.startReplica();
    const customer = await system.customer();
    await system.call(before, customer, 'GET', 'pull?noWait=true');
    await system.value(customer, 'kept');
    await eventually(async () =>
      expect((await system.call(before, customer, 'PUT', 'pull')).body).toMatchObject({ queue_size: 1 }),
    );
    await before.stop();
    system.clock.jump(withoutPollMs + 1_000);
    const after = await system.startReplica();
    const { expiry } = new Keys(system.isolation.redisPrefix, 4).ofChannel(customer.keyId);
    // The channel was found to be without a poll, and is looked at again later.
    await eventually(async () =>
      expect(Number(await system.redis.zscore(expiry, customer.keyId))).toBeGreaterThan(system.clock.now()),
    );
    await after.app.get(Sweeper).stop();
    const { status, text } = await system.call(after, customer, 'GET', 'pull?noWait=true');
    expect(status).toBe(200);
    expect(payloads(eventsOf([parseMessage(text)], 'notifications'))).toEqual(['kept']);
  });
});
