import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { Keys } from '../src/queue/keys.js';
import { Landscape, payloads } from './landscape.js';

describe('a Kafka that lost what Redis has seen of it', () => {
  let landscape: Landscape;

  beforeAll(async () => {
    landscape = await Landscape.create('positions-ahead');
  });

  afterAll(() => landscape?.drop());

  it('is read from its beginning: what it gets from now on is delivered', async () => {
    const customer = await landscape.customer();
    const before = await landscape.startReplica();
    await landscape.call(before, customer, 'GET', 'pull?noWait=true');
    await before.stop();
    const { shards } = new Keys(landscape.isolation.redisPrefix, 4);
    for (const { positions } of shards)
      await landscape.redis.hset(positions, { 'device.values:0': 1_000_000, 'device.values:1': 1_000_000 });
    await landscape.value(customer, 'first');
    const service = await landscape.startReplica('dispatcher-1');
    await landscape.value(customer, 'second');
    const received: string[] = [];
    await eventually(async () => {
      const { text } = await landscape.call(service, customer, 'GET', 'pull?noWait=true');
      received.push(...payloads(eventsOf([parseMessage(text || '{}')], 'notifications')));
      expect(received.sort()).toEqual(['first', 'second']);
    });
    const setBack = 'lanyard_dispatcher_positions_set_back_total';
    expect(await landscape.counter(service, setBack, 'topic="device.values"')).toBeGreaterThan(0);
  }, 60_000);
});
