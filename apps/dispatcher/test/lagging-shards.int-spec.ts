import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, TestClock } from '@lanyard/testing';
import type { Intake } from '../src/intake/intake.js';
import { IntakeEvent } from '../src/intake/intake-event.js';
import { lagMaxMs, PositionsLost } from '../src/intake/shard-appender.js';
import { ChannelRegistry } from '../src/queue/channel-registry.js';
import { Keys } from '../src/queue/keys.js';
import { RedisLink } from '../src/queue/redis-link.js';
import { intakeOf } from './parts.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('positions of shards', () => {
  let link: RedisLink;

  beforeAll(async () => {
    link = await RedisLink.open(infrastructure().redisUrl, logger);
  });

  afterAll(() => link?.close());

  /** Adds events with these offsets, for one channel. */
  const addingTo = (intake: Intake, clock: TestClock): ((offset: bigint) => Promise<void>) => {
    const accountId = newId();
    const channelId = newId();
    return (offset) =>
      intake.add({
        topic: 'device.values',
        partition: 0,
        lastOffset: offset,
        events: [
          new IntakeEvent(offset, clock.now(), {
            item: Buffer.from('{"n":1}'),
            category: 'notifications',
            accountId,
            audience: [channelId],
            endpointName: 'e',
            uid: 'u',
          }),
        ],
      });
  };

  it('those that got nothing lag behind, and follow when nothing comes any more', async () => {
    const keys = new Keys(`test-${newId()}:`, 4);
    const clock = new TestClock(Date.now());
    const intake = intakeOf(link, keys, clock);
    const registry = new ChannelRegistry(link, keys, clock);
    intake.resume(await registry.generations(), () => undefined);
    const add = addingTo(intake, clock);
    const reached = async (): Promise<string[]> => {
      const all = await Promise.all(keys.shards.map(({ positions }) => link.redis.hget(positions, 'device.values:0')));
      return [...new Set(all.map(String))].sort();
    };
    await add(5n);
    await add(6n);
    await eventually(async () => expect(await reached()).toContain('6'));
    await clock.advance(lagMaxMs);
    await eventually(async () => expect(await reached()).toEqual(['6']));
    expect((await intake.nextOffsets('device.values', [0])).get(0)).toBe(7n);
  });

  it('who asks for them does not hide from the intake that Redis has lost some', async () => {
    const keys = new Keys(`test-${newId()}:`, 1);
    const clock = new TestClock(Date.now());
    const intake = intakeOf(link, keys, clock);
    intake.resume(await new ChannelRegistry(link, keys, clock).generations(), () => undefined);
    const add = addingTo(intake, clock);
    await add(5n);
    await add(6n);
    await link.redis.hset(keys.shards[0]?.positions ?? '', 'device.values:0', '3');
    expect((await intake.nextOffsets('device.values', [0])).get(0)).toBe(4n);
    await expect(add(7n)).rejects.toThrow(PositionsLost);
  });

  it('go back together when Kafka does not reach one of them; one that moved meanwhile stays', async () => {
    const keys = new Keys(`test-${newId()}:`, 2);
    const clock = new TestClock(Date.now());
    const intake = intakeOf(link, keys, clock);
    intake.resume(await new ChannelRegistry(link, keys, clock).generations(), () => undefined);
    const field = 'device.values:0';
    const put = (...offsets: number[]): Promise<unknown> =>
      Promise.all(keys.shards.map(({ positions }, n) => link.redis.hset(positions, field, offsets[n] ?? 0)));
    const reached = (): Promise<unknown[]> =>
      Promise.all(keys.shards.map(({ positions }) => link.redis.hget(positions, field)));
    const rewind = (meanwhile?: () => Promise<unknown>): Promise<number[]> =>
      intake.rewind('device.values', [0], async () => {
        await meanwhile?.();
        return new Map([[0, { low: 5n, high: 80n }]]);
      });
    await put(79, 60);
    expect([await rewind(), await reached()]).toEqual([[], ['79', '60']]);
    await put(80, 60);
    expect([await rewind(), await reached()]).toEqual([[0], ['4', '4']]);
    await put(100, 100);
    await rewind(() => put(7, 100));
    expect(await reached()).toEqual(['7', '4']);
  });
});
