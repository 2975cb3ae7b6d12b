import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventLifeMs, queueBytesMax } from '../src/limits.js';
import type { IntakeBatch } from '../src/intake/intake-event.js';
import { PositionsLost } from '../src/intake/shard-appender.js';
import { LinkLost } from '../src/queue/redis-link.js';

import { accountId, queueBench } from './queue-bench.js';

describe('appending to queues', () => {
  const bench = queueBench();
  const { newAppender, register, event, numbered, batchOf, append, claimed, numbersIn, expectCountersToBeRight } =
    bench;

  describe('append', () => {
    it('appends a batch once, however often it comes', async () => {
      await register();
      const batch = batchOf(numbered(250));
      const first = await append(batch.events, bench.appender, batch);
      expect(first).toMatchObject({ events: 250, callbacksReady: true });
      await append(batch.events, bench.appender, batch);
      // Another replica, which knows nothing of the positions.
      await append(batch.events, await newAppender(), batch);
      expect((await bench.registry.inspect(bench.channelId))?.events).toBe(250);
      await expectCountersToBeRight();
    });

    it('appends what is new of a batch that came in part before', async () => {
      await register();
      const events = numbered(10);
      await append(events.slice(0, 4));
      await append(events, await newAppender());
      expect(numbersIn((await claimed()).batch)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('says that positions are lost when Redis is behind what was appended', async () => {
      await register();
      await append(numbered(3));
      await bench.link.redis.hset(bench.keys.ofChannel(bench.channelId).positions, 'device.values:0', '1');
      await expect(append(numbered(2))).rejects.toMatchObject({ topics: ['device.values'] });
    });

    it('says that everything is lost when the mark is gone', async () => {
      await register();
      await bench.link.redis.del(bench.keys.ofChannel(bench.channelId).positions);
      await expect(append(numbered(1))).rejects.toBeInstanceOf(PositionsLost);
    });

    describe('a batch under way that was fetched from positions which no longer hold', () => {
      const position = 'device.values:0';
      const rolledBack = async (): Promise<IntakeBatch> => {
        await register();
        await append(numbered(3));
        await bench.link.redis.hset(bench.keys.ofChannel(bench.channelId).positions, position, '0');
        return batchOf(numbered(1));
      };
      const expectNoGap = async (batch: IntakeBatch, appended: Promise<unknown>): Promise<void> => {
        await expect(appended).rejects.toBeInstanceOf(LinkLost);
        const { positions } = bench.keys.ofChannel(bench.channelId);
        expect(Number(await bench.link.redis.hget(positions, position))).toBeLessThan(Number(batch.lastOffset) - 1);
      };

      it('is given up when a recovery ended meanwhile', async () => {
        const batch = await rolledBack();
        const [mark = ''] = await bench.registry.generations();
        const appended = append(batch.events, bench.appender, batch);
        bench.appender.setGeneration(mark);
        await expectNoGap(batch, appended);
      });

      it('is given up when the positions were read again, or rewound, before its answer came', async () => {
        const batch = await rolledBack();
        const reading = bench.appender.readPositions('device.values', [0]);
        await expectNoGap(batch, append(batch.events, bench.appender, batch));
        expect(await reading).toEqual([0n]);
        await bench.link.redis.hset(bench.keys.ofChannel(bench.channelId).positions, position, '9');
        await bench.appender.readPositions('device.values', [0]);
        const rewinding = bench.appender.rewind(position, 9n, 4n);
        const ahead = { ...batch, lastOffset: 12n };
        await expectNoGap(ahead, append(batch.events, bench.appender, ahead));
        await rewinding;
      });
    });

    it('renders again for a channel whose options it did not know', async () => {
      await register({ render: 1 });
      await append([event('{"ep":1}')]);
      await register({ render: 3 });
      await append([event('{"ep":2}', {}, 1_700_000_000_000 + bench.clock.now())]);
      const { batch } = await claimed();
      expect(batch.message.toBuffer().toString()).toBe(
        `{"notifications":[{"ep":1,"uid":"u"},{"ep":2,"uid":"u","timestamp":${1_700_000_000_000 + bench.clock.now()}}]}`,
      );
    });

    it('a key without a channel, or of another account, gets nothing', async () => {
      await register();
      const stranger = event('{"n":1}', { audience: [newId()] });
      const foreign = event('{"n":2}', { accountId: newId() });
      expect(await append([stranger, foreign])).toMatchObject({ events: 0, skipped: { noChannel: 2 } });
    });

    it('what was queued before the channel was made is not for it', async () => {
      await register();
      const outcome = await append([event('{"n":1}', {}, bench.clock.now() - 60_000), event('{"n":2}')]);
      expect(outcome).toMatchObject({ events: 1, skipped: { beforeChannel: 1 } });
    });

    it('drops the oldest beyond 50 MB, and counts them', async () => {
      await register();
      const text = `{"n":1,"x":"${'x'.repeat(100_000)}"}`;
      for (let n = 0; n < 6; n++) await append(Array.from({ length: 100 }, () => event(text)));
      const state = await bench.registry.inspect(bench.channelId);
      expect(state?.bytes).toBeLessThanOrEqual(queueBytesMax);
      expect(state?.bytes).toBeGreaterThan(queueBytesMax - 200_000);
      expect((state?.events ?? 0) + (state?.dropped.size ?? 0)).toBe(600);
      await expectCountersToBeRight();
    });

    it('160,000 events of 100 bytes fit', async () => {
      await register();
      const json = `{"n":1,"x":"${'x'.repeat(86)}"}`;
      expect(json).toHaveLength(100);
      for (let n = 0; n < 16; n++) await append(Array.from({ length: 10_000 }, () => event(json)));
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 160_000, dropped: { size: 0 } });
    });

    it('drops what is older than 24 h, and counts it', async () => {
      await register();
      await append(numbered(5));
      await bench.clock.advance(eventLifeMs + 1_000);
      await append(numbered(2));
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 2, dropped: { age: 5 } });
      await expectCountersToBeRight();
    });

    it('wakes the replica that holds the channel', async () => {
      await register({ kind: 'websocket' });
      expect((await append(numbered(1))).wake).toEqual([]);
      await bench.queue.attach(bench.channelId, accountId, { conn: 'c1', mode: 'newest', kind: 'websocket' });
      expect(await append(numbered(1))).toMatchObject({
        wake: [{ channelId: bench.channelId, owner: 'a#1' }],
        callbacksReady: false,
      });
    });
  });
});
