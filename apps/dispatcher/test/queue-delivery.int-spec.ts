import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { type EventBatch, cursorAfter, cursorConfirmed, joinExtents } from '../src/queue/event-batch.js';
import { type ChannelQueue } from '../src/queue/channel-queue.js';

import { accountId, hourMs, queueBench } from './queue-bench.js';

describe('reading from queues', () => {
  const bench = queueBench();
  const { register, event, numbered, append, claimed, numbersIn, expectCountersToBeRight } = bench;

  describe('claim, ack and fail', () => {
    it('one replica at a time; the next batch follows the one before', async () => {
      await register({ eventsMax: 3 });
      await append(numbered(7));
      const claim = await claimed();
      expect(await bench.other.claim(bench.channelId, '')).toBeUndefined();
      expect(numbersIn(claim.batch)).toEqual([0, 1, 2]);
      const next = await bench.queue.ack(claim.hold, claim.batch, 'next');
      if (next.outcome !== 'next') throw new Error(next.outcome);
      expect(numbersIn(next.batch)).toEqual([3, 4, 5]);
      await expectCountersToBeRight();
      expect(await bench.queue.ack(claim.hold, next.batch, 'release')).toEqual({ outcome: 'released', more: true });
      const last = await claimed(bench.other);
      expect(numbersIn(last.batch)).toEqual([6]);
      expect(await bench.other.ack(last.hold, last.batch, 'next')).toEqual({ outcome: 'released', more: false });
      await expectCountersToBeRight();
    });

    it('alternating categories are put in order at the next claim when Redis was lost while they were', async () => {
      await register();
      const categories = ['notifications', 'reg-updates'] as const;
      const alternating = Array.from({ length: 64 }, (_, n) =>
        event(`{"ep":"device ${n}","n":${n}}`, { category: categories[n % 2] ?? 'notifications' }),
      );
      await append(alternating);
      const guarded = bench.link.guarded.bind(bench.link);
      bench.link.guarded = (era, name, ...rest) =>
        name === 'regroup' ? Promise.reject(new Error('Command timed out')) : guarded(era, name, ...rest);
      await expect(claimed()).rejects.toThrow('Command timed out');
      bench.link.guarded = guarded;
      const claim = await claimed();
      expect(numbersIn(claim.batch)).toEqual(Array.from({ length: 32 }, (_, n) => 2 * n));
      await expectCountersToBeRight();
    });

    it('a channel that was changed meanwhile is let go: the next batch goes where it should now', async () => {
      const createdAtMs = bench.clock.now();
      await register({ createdAtMs, eventsMax: 2 });
      await append(numbered(6));
      const claim = await claimed();
      const next = await bench.queue.ack(claim.hold, claim.batch, 'next', { revision: claim.revision });
      if (next.outcome !== 'next') throw new Error(next.outcome);
      await register({ createdAtMs, eventsMax: 2, target: 'new', keepFailures: true });
      const after = await bench.queue.ack(claim.hold, next.batch, 'next', { revision: claim.revision });
      expect(after).toEqual({ outcome: 'released', more: true });
      const again = await claimed();
      expect(again.target).toBe('new');
      expect(numbersIn(again.batch)).toEqual([4, 5]);
    });

    it.each([
      [1, [1, 1]],
      [20_000, [20_000, 5]],
    ])('max_chunk_size %i', async (eventsMax, sizes) => {
      await register({ eventsMax });
      await append(numbered(Math.max(2, eventsMax + (eventsMax > 1 ? 5 : 0))));
      const first = await claimed();
      const next = await bench.queue.ack(first.hold, first.batch, 'next');
      expect([first.batch.count, next.outcome === 'next' && next.batch.count]).toEqual(sizes);
      expect(numbersIn(first.batch)).toHaveLength(sizes[0] as number);
      await expectCountersToBeRight();
    });

    it('categories do not mix in a batch', async () => {
      await register();
      await append([...numbered(2), ...numbered(1, 'registrations'), ...numbered(1)]);
      const { hold, batch } = await claimed();
      expect(batch).toMatchObject({ category: 'notifications', count: 2 });
      const next = await bench.queue.ack(hold, batch, 'next');
      expect(next).toMatchObject({ outcome: 'next', batch: { category: 'registrations', count: 1 } });
    });

    it('a failed batch stays and comes again when due', async () => {
      await register();
      await append(numbered(2));
      const claim = await claimed();
      expect(await bench.queue.fail(claim.hold, claim.batch, 1_000, claim.revision)).toMatchObject({
        attempt: 1,
        failingForMs: 0,
      });
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      await append(numbered(1));
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      await bench.clock.advance(1_000);
      expect(await claimed()).toMatchObject({ attempt: 1, batch: { count: 2 } });
    });

    describe('what came meanwhile is sent behind a batch that comes again', () => {
      const expectAgain = async (by: ChannelQueue): Promise<void> => {
        const again = await claimed(by);
        expect(again.batch).toMatchObject({ from: 0, to: 2 });
        const next = await by.ack(again.hold, again.batch, 'next');
        expect(next).toMatchObject({ outcome: 'next', batch: { from: 2, to: 5 } });
        await expectCountersToBeRight();
      };

      it.each<[string, () => void]>([
        ['from memory', () => undefined],
        ['from Redis', () => bench.recent.forget()],
      ])('after a failure, %s', async (_, before) => {
        await register();
        await append(numbered(2));
        const claim = await claimed();
        await append(numbered(3));
        before();
        await bench.queue.fail(claim.hold, claim.batch, 0, claim.revision);
        await expectAgain(bench.queue);
      });

      it('when its replica is gone', async () => {
        await register();
        await append(numbered(2));
        await claimed(bench.other);
        await append(numbered(3));
        bench.recent.forget();
        await bench.releaseHeld('b#1');
        await expectAgain(bench.queue);
      });

      it('when its replica stopped in the middle of the request', async () => {
        await register();
        await append(numbered(2));
        const claim = await claimed();
        await append(numbered(3));
        await bench.queue.detach(claim.hold, claim.batch.to);
        await expectAgain(bench.other);
      });

      it('but for what a limit took of it, and never more than a batch may have', async () => {
        const createdAtMs = bench.clock.now();
        await register({ createdAtMs });
        await append(numbered(2));
        await bench.clock.advance(20 * hourMs);
        await append(numbered(3));
        const claim = await claimed();
        await bench.queue.fail(claim.hold, claim.batch, 0, claim.revision);
        await append(numbered(1));
        await bench.clock.advance(5 * hourMs);
        const rest = await claimed();
        expect(rest.batch).toMatchObject({ from: 2, to: 5 });
        await bench.queue.fail(rest.hold, rest.batch, 0, rest.revision);
        await register({ createdAtMs, eventsMax: 2 });
        expect((await claimed()).batch).toMatchObject({ from: 2, to: 4 });
      });
    });

    it('a free account gives a batch up after one retry, and the next is sent', async () => {
      await register({ tier: 'free', eventsMax: 2 });
      await append(numbered(4));
      const first = await claimed();
      expect(await bench.queue.fail(first.hold, first.batch, 1_000, first.revision)).toMatchObject({
        attempt: 1,
        givenUp: 0,
      });
      await bench.clock.advance(1_000);
      const second = await claimed();
      expect(await bench.queue.fail(second.hold, second.batch, 2_000, second.revision)).toMatchObject({
        attempt: 0,
        givenUp: 2,
      });
      expect(numbersIn((await claimed()).batch)).toEqual([2, 3]);
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ dropped: { failed: 2 } });
    });

    it('a replica taken for dead changes nothing any more', async () => {
      await register();
      await append(numbered(3));
      const zombie = await claimed();
      await bench.releaseHeld('a#1');
      const heir = await claimed(bench.other);
      expect(await bench.queue.ack(zombie.hold, zombie.batch, 'release')).toEqual({ outcome: 'fenced' });
      expect(await bench.queue.fail(zombie.hold, zombie.batch, 1_000, zombie.revision)).toEqual({ outcome: 'fenced' });
      expect(await bench.queue.detach(zombie.hold)).toBe(false);
      expect(numbersIn(heir.batch)).toEqual([0, 1, 2]);
      expect(await bench.other.ack(heir.hold, heir.batch, 'release')).toEqual({ outcome: 'released', more: false });
    });

    it('events dropped while they were on their way, and arrived, are not counted as dropped', async () => {
      await register();
      await append(Array.from({ length: 100 }, () => event(`{"n":1,"x":"${'x'.repeat(100_000)}"}`)));
      const claim = await claimed();
      for (let n = 0; n < 5; n++)
        await append(Array.from({ length: 100 }, () => event(`{"n":2,"x":"${'x'.repeat(100_000)}"}`)));
      const dropped = (await bench.registry.inspect(bench.channelId))?.dropped.size ?? 0;
      expect(dropped).toBeGreaterThan(claim.batch.count);
      const reportable = async (): Promise<number | undefined> =>
        (await bench.registry.drops(bench.channelId))?.dropped.size;
      // As long as they may arrive; by whole chunks.
      expect(await reportable()).toBeLessThanOrEqual(dropped - claim.batch.count);
      await bench.queue.ack(claim.hold, claim.batch, 'release');
      expect(await reportable()).toBe(dropped - claim.batch.count);
      const state = await bench.registry.inspect(bench.channelId);
      expect(state?.dropped.size).toBe(dropped - claim.batch.count);
      expect((state?.events ?? 0) + (state?.dropped.size ?? 0) + claim.batch.count).toBe(600);
      await expectCountersToBeRight();
    });

    it('events dropped while they were on their way, and did not arrive, are reported then', async () => {
      await register();
      await append(numbered(3));
      const claim = await claimed();
      await bench.clock.advance(25 * hourMs);
      expect((await bench.registry.inspect(bench.channelId))?.dropped.age).toBe(3);
      expect((await bench.registry.drops(bench.channelId))?.dropped.age).toBe(0);
      await bench.queue.fail(claim.hold, claim.batch, 1_000, claim.revision);
      expect((await bench.registry.drops(bench.channelId))?.dropped.age).toBe(3);
    });

    it('a channel with drops is named until they are reported, and again when there are more', async () => {
      const named = async (): Promise<string[]> => {
        for await (const channels of bench.registry.dropping()) return channels;
        return [];
      };
      await register();
      await append(numbered(3));
      expect(await named()).toEqual([]);
      await bench.clock.advance(25 * hourMs);
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      expect(await named()).toEqual([bench.channelId]);
      const first = await bench.registry.drops(bench.channelId);
      expect(first?.dropped).toEqual({ size: 0, age: 3, failed: 0 });
      await append(numbered(1));
      await bench.clock.advance(25 * hourMs);
      await bench.registry.inspect(bench.channelId);
      await bench.registry.drops(bench.channelId, first?.dropped);
      expect(await named()).toEqual([bench.channelId]);
      const second = await bench.registry.drops(bench.channelId);
      await bench.registry.drops(bench.channelId, second?.dropped);
      expect(await named()).toEqual([]);
    });

    it('a closed channel takes nothing, gives nothing, and says the same when closed again', async () => {
      await register();
      await append(numbered(4));
      const claim = await claimed();
      const closed = await bench.registry.close(bench.channelId, '9');
      expect(closed).toMatchObject({ accountId, kind: 'callback', events: 4, holder: { owner: 'a#1' } });
      expect(await bench.queue.ack(claim.hold, claim.batch, 'next')).toEqual({ outcome: 'fenced' });
      expect((await append(numbered(1))).skipped.noChannel).toBe(1);
      expect(await bench.queue.claim(bench.channelId, '')).toBeUndefined();
      await bench.clock.advance(hourMs);
      expect(await bench.registry.close(bench.channelId, '9')).toEqual({ ...closed, holder: undefined });
      await bench.registry.remove(bench.channelId, '9');
      expect(await bench.registry.close(bench.channelId, '9')).toBeUndefined();
    });

    it('what a poll was given and the limit removed before the next one has arrived', async () => {
      await register({ kind: 'pull' });
      await append(numbered(3));
      const poll = { conn: 'p', mode: 'free', kind: 'pull' } as const;
      const first = await bench.queue.attach(bench.channelId, accountId, poll);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      const taken = await bench.queue.readBatch(first.hold, first.cursor);
      if (taken.outcome !== 'ok') throw new Error(taken.outcome);
      await bench.queue.detach(first.hold, taken.batch.to);
      await bench.clock.advance(25 * hourMs);
      expect((await bench.registry.inspect(bench.channelId))?.dropped.age).toBe(3);
      expect((await bench.registry.drops(bench.channelId))?.dropped.age).toBe(0);
      await bench.queue.attach(bench.channelId, accountId, poll);
      expect((await bench.registry.inspect(bench.channelId))?.dropped.age).toBe(0);
    });

    it('what the limit removed before a poll was given anything has not arrived with it', async () => {
      await register({ kind: 'pull' });
      await append(numbered(3));
      await bench.clock.advance(20 * hourMs);
      await append(numbered(2));
      const poll = { conn: 'p', mode: 'free', kind: 'pull' } as const;
      const first = await bench.queue.attach(bench.channelId, accountId, poll);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      await bench.clock.advance(5 * hourMs);
      const taken = await bench.queue.readBatch(first.hold, first.cursor);
      if (taken.outcome !== 'ok') throw new Error(taken.outcome);
      expect(taken.batch).toMatchObject({ from: 3, to: 5 });
      expect((await bench.registry.drops(bench.channelId))?.dropped.age).toBe(3);
      await bench.queue.detach(first.hold, taken.batch.to);
      await bench.queue.attach(bench.channelId, accountId, poll);
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0, dropped: { age: 3 } });
    });

    it('the target is handed out only to who does not know it', async () => {
      await register({ target: 'sealed-1' });
      await append(numbered(1));
      const claim = await claimed();
      expect(claim.target).toBe('sealed-1');
      await bench.queue.detach(claim.hold);
      expect((await bench.queue.claim(bench.channelId, claim.revision))?.target).toBe('');
    });
  });

  describe('attach, take and confirm', () => {
    const socket = (conn: string) => ({ conn, mode: 'newest', kind: 'websocket' }) as const;
    const attached = async (by: ChannelQueue, conn: string) => {
      const result = await by.attach(bench.channelId, accountId, socket(conn));
      if (result.outcome !== 'ok') throw new Error(result.outcome);
      return result;
    };

    it('a window of batches, confirmed together', async () => {
      await register({ kind: 'websocket', eventsMax: 40 });
      await append(numbered(250));
      const { hold, cursor: start } = await attached(bench.queue, 'c1');
      let cursor = start;
      const window: EventBatch[] = [];
      const seen: number[] = [];
      for (;;) {
        const taken = await bench.queue.readBatch(hold, cursor);
        if (taken.outcome !== 'ok') break;
        window.push(taken.batch);
        seen.push(...numbersIn(taken.batch));
        cursor = cursorAfter(taken.cursor, taken.batch);
        if (window.length < 3) continue;
        const extent = joinExtents(window.splice(0));
        expect(await bench.queue.confirm(hold, extent)).toBe(true);
        cursor = cursorConfirmed(cursor, extent);
        await expectCountersToBeRight();
      }
      expect(await bench.queue.confirm(hold, joinExtents(window))).toBe(true);
      expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0, bytes: 0 });
    });

    it('finds its place again when events were dropped under it', async () => {
      await register({ kind: 'websocket', eventsMax: 30 });
      await append(numbered(150));
      await bench.clock.advance(20 * hourMs);
      await append(numbered(50));
      const { hold, cursor } = await attached(bench.queue, 'c1');
      const first = await bench.queue.readBatch(hold, cursor);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      await bench.clock.advance(5 * hourMs);
      const next = await bench.queue.readBatch(hold, cursorAfter(first.cursor, first.batch));
      if (next.outcome !== 'ok') throw new Error(next.outcome);
      expect(next.batch).toMatchObject({ from: 150, to: 180 });
      expect(numbersIn(next.batch)[0]).toBe(0);
      await expectCountersToBeRight();
    });

    it('keeps its place when what was dropped under it is confirmed after it found it again', async () => {
      await register({ kind: 'websocket', eventsMax: 200 });
      await append(numbered(200));
      await bench.clock.advance(20 * hourMs);
      await append(numbered(400));
      const { hold, cursor } = await attached(bench.queue, 'c1');
      bench.recent.forget();
      const old = await bench.queue.readBatch(hold, cursor);
      if (old.outcome !== 'ok') throw new Error(old.outcome);
      await bench.clock.advance(5 * hourMs);
      const young = await bench.queue.readBatch(hold, cursorAfter(old.cursor, old.batch));
      if (young.outcome !== 'ok') throw new Error(young.outcome);
      expect(young.batch).toMatchObject({ from: 200, to: 400 });
      await bench.queue.confirm(hold, old.batch);
      const next = await bench.queue.readBatch(
        hold,
        cursorConfirmed(cursorAfter(young.cursor, young.batch), old.batch),
      );
      if (next.outcome !== 'ok') throw new Error(next.outcome);
      expect(next.batch).toMatchObject({ from: 400, to: 600 });
      expect(numbersIn(next.batch)[0]).toBe(200);
      expect((await bench.registry.inspect(bench.channelId))?.dropped.age).toBe(0);
      await expectCountersToBeRight();
    });

    it('the newest socket wins, and names the one before', async () => {
      await register({ kind: 'websocket' });
      await append(numbered(1));
      const older = await attached(bench.queue, 'c1');
      const newer = await attached(bench.other, 'c2');
      expect(newer.previous).toEqual({ owner: 'a#1', conn: 'c1' });
      expect(await bench.queue.readBatch(older.hold, older.cursor)).toEqual({ outcome: 'fenced' });
      expect((await bench.other.readBatch(newer.hold, newer.cursor)).outcome).toBe('ok');
    });

    it('a socket that has the channel may take it again, another one must be newer', async () => {
      await register({ kind: 'websocket' });
      const first = await attached(bench.queue, 'c1');
      const free = { mode: 'free', kind: 'websocket' } as const;
      const again = await bench.queue.attach(bench.channelId, accountId, { conn: 'c1', ...free });
      expect(again.outcome).toBe('ok');
      expect(await bench.queue.readBatch(first.hold, first.cursor)).toEqual({ outcome: 'fenced' });
      expect(await bench.other.attach(bench.channelId, accountId, { conn: 'c2', ...free })).toEqual({
        outcome: 'busy',
      });
    });

    it('a poll does not take over from another; what it delivered is confirmed by the next', async () => {
      await register({ kind: 'pull', eventsMax: 2 });
      await append(numbered(3));
      const poll = (by: ChannelQueue, conn: string) =>
        by.attach(bench.channelId, accountId, { conn, mode: 'free', kind: 'pull' });
      const first = await poll(bench.queue, 'p1');
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      expect(await poll(bench.other, 'p2')).toEqual({ outcome: 'busy' });
      const taken = await bench.queue.readBatch(first.hold, first.cursor);
      if (taken.outcome !== 'ok') throw new Error(taken.outcome);
      await bench.queue.detach(first.hold, taken.batch.to);
      const second = await poll(bench.other, 'p2');
      if (second.outcome !== 'ok') throw new Error(second.outcome);
      const rest = await bench.other.readBatch(second.hold, second.cursor);
      if (rest.outcome !== 'ok') throw new Error(rest.outcome);
      expect(numbersIn(rest.batch)).toEqual([2]);
      await bench.other.detach(second.hold, rest.batch.to);
      await bench.other.requeuePending(bench.channelId, rest.batch.to, second.incarnation);
      const third = await poll(bench.queue, 'p3');
      expect(third).toMatchObject({ outcome: 'ok', cursor: { next: 2 } });
      await expectCountersToBeRight();
    });

    it('says what is in the way', async () => {
      expect(await bench.queue.attach(bench.channelId, accountId, socket('c'))).toEqual({ outcome: 'missing' });
      await register();
      expect(await bench.queue.attach(bench.channelId, newId(), socket('c'))).toEqual({ outcome: 'missing' });
      expect(await bench.queue.attach(bench.channelId, accountId, socket('c'))).toEqual({
        outcome: 'kind',
        kind: 'callback',
      });
    });
  });
});
