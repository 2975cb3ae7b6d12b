import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { Keys } from '../src/queue/keys.js';
import { TestSystem, payloads } from './test-system.js';

describe('a Kafka that lost what Redis has seen of it', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('positions-ahead');
  });

  afterAll(() => system?.drop());

  it('is read from its beginning: what it gets from now on is delivered', async () => {
    const customer = await system.customer();
    const before = await system.startReplica();
    await system.call(before, customer, 'GET', 'pull?noWait=true');
    await before.stop();
    const { shards } = new Keys(system.isolation.redisPrefix, 4);
    for (const { positions } of shards)
      await system.redis.hset(positions, { 'device.values:0': 1_000_000, 'device.values:1': 1_000_000 });
    await system.value(customer, 'first');
    const service = await system.startReplica('dispatcher-1');
    await system.value(customer, 'second');
    const received: string[] = [];
    await eventually(async () => {
      const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
      received.push(...payloads(eventsOf([parseMessage(text || '{}')], 'notifications')));
      expect(received.sort()).toEqual(['first', 'second']);
    });
    const rewinds = 'lanyard_dispatcher_offset_rewinds_total';
    expect(await system.counter(service, rewinds, 'topic="device.values"')).toBeGreaterThan(0);
  });
});
