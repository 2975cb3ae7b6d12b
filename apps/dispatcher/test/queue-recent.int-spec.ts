import { describe, expect, it } from '@jest/globals';
import { type EventBatch, type Cursor, cursorAfter, cursorConfirmed } from '../src/queue/event-batch.js';
import { type Attached, type ChannelQueue, type Hold } from '../src/queue/channel-queue.js';
import { RecentChunks } from '../src/queue/recent-chunks.js';
import { ShardAppender } from '../src/intake/shard-appender.js';
import type { ChannelClaimer } from '../src/queue/append-outcome.js';
import { accountId, hourMs, queueBench } from './queue-bench.js';

describe('events that this replica appended itself', () => {
  const bench = queueBench();
  const { register, event, numbered, append, claimed, numbersIn, newAppender, expectCountersToBeRight } = bench;

  /** What Redis has can be told from what the replica remembers: the stored events are overwritten. */
  const overwriteStored = async (): Promise<void> => {
    const queue = bench.keys.ofChannel(bench.channelId).queue(bench.channelId);
    const stored = await bench.link.redis.lrangeBuffer(queue, 0, -1);
    for (const [n, chunk] of stored.entries())
      await bench.link.redis.lset(
        queue,
        n,
        Buffer.from(chunk.toString('latin1').replace(/"n":\d/g, '"n":9'), 'latin1'),
      );
  };

  const attach = async (by = bench.queue): Promise<{ hold: Hold; cursor: Cursor }> => {
    const attached: Attached = await by.attach(bench.channelId, accountId, {
      conn: 'c1',
      mode: 'newest',
      kind: 'websocket',
    });
    if (attached.outcome !== 'ok') throw new Error(attached.outcome);
    return attached;
  };

  const appenderOf = async (owner: string, recent: RecentChunks, claimer?: ChannelClaimer): Promise<ShardAppender> => {
    const [shard] = bench.keys.shards;
    if (!shard) throw new Error('no shard');
    const appender = new ShardAppender(shard, { link: bench.link, clock: bench.clock, owner, recent, claimer });
    appender.setGeneration((await bench.registry.generations())[0] ?? '');
    return appender;
  };

  describe('are not read back', () => {
    it('by a claim, and by the batches after it', async () => {
      await register({ eventsMax: 3 });
      await append(numbered(8));
      await overwriteStored();
      const claim = await claimed();
      expect(numbersIn(claim.batch)).toEqual([0, 1, 2]);
      const next = await bench.queue.ack(claim.hold, claim.batch, 'next');
      if (next.outcome !== 'next') throw new Error(next.outcome);
      expect(numbersIn(next.batch)).toEqual([3, 4, 5]);
      await expectCountersToBeRight();
      await bench.queue.ack(claim.hold, next.batch, 'release');
      const last = await claimed();
      expect(numbersIn(last.batch)).toEqual([6, 7]);
      expect(await bench.queue.ack(last.hold, last.batch, 'next')).toEqual({ outcome: 'released', more: false });
      await expectCountersToBeRight();
      expect(bench.recent.size).toBe(0);
    });

    it('by a socket', async () => {
      await register({ kind: 'websocket', eventsMax: 3 });
      await append(numbered(4));
      await overwriteStored();
      const { hold, cursor } = await attach();
      const first = await bench.queue.readBatch(hold, cursor);
      if (first.outcome !== 'ok') throw new Error(first.outcome);
      const second = await bench.queue.readBatch(hold, cursorAfter(first.cursor, first.batch));
      if (second.outcome !== 'ok') throw new Error(second.outcome);
      expect([first, second].map(({ batch }) => numbersIn(batch))).toEqual([[0, 1, 2], [3]]);
    });
  });

  describe('are read from Redis', () => {
    it('when another replica appended in between', async () => {
      await register();
      await append([event('{"n":1}')]);
      await append([event('{"n":2}')], await appenderOf('b#1', new RecentChunks(1_000)));
      await append([event('{"n":3}')], await newAppender());
      expect(numbersIn((await claimed()).batch)).toEqual([1, 2, 3]);
    });

    it('when the channel was made again', async () => {
      await register({ kind: 'websocket' });
      await append([event('{"n":1}'), event('{"n":2}')]);
      await bench.registry.remove(bench.channelId, '99');
      await register({ revision: '100', createdAtMs: bench.clock.now() });
      await append([event('{"n":3}'), event('{"n":4}')], await appenderOf('b#1', new RecentChunks(1_000)));
      expect(numbersIn((await claimed()).batch)).toEqual([3, 4]);
    });

    it('when the connection to Redis was lost since', async () => {
      await register();
      await append(numbered(2));
      await overwriteStored();
      bench.recent.forget();
      expect(numbersIn((await claimed()).batch)).toEqual([9, 9]);
    });
  });

  it('in whatever way they are appended, dropped, read and confirmed, each arrives once and in order, or is counted', async () => {
    await register({ kind: 'websocket', eventsMax: 25 });
    const other = await appenderOf('b#1', new RecentChunks(1_000_000));
    const { hold, cursor: start } = await attach();
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    let cursor = start;
    const sent: EventBatch[] = [];
    const arrived: number[] = [];
    let appended = 0;
    const takeNext = async (): Promise<boolean> => {
      const read = await bench.queue.readBatch(hold, cursor);
      if (read.outcome !== 'ok') return false;
      expect(numbersIn(read.batch)[0]).toBe(read.batch.from);
      arrived.push(...numbersIn(read.batch));
      sent.push(read.batch);
      cursor = cursorAfter(read.cursor, read.batch);
      return true;
    };
    const confirmNext = async (): Promise<void> => {
      const batch = sent.shift() as EventBatch;
      expect(await bench.queue.confirm(hold, batch)).toBe(true);
      cursor = cursorConfirmed(cursor, batch);
    };
    for (let step = 0; step < 600; step++) {
      const what = random(4);
      if (what === 0) {
        const events = Array.from({ length: 1 + random(20) }, () => event(`{"n":${appended++}}`));
        await append(events, random(3) === 0 ? other : bench.appender);
      } else if (what === 3 && sent.length > 0) {
        await confirmNext();
      } else {
        await takeNext();
      }
      if (random(10) === 0) bench.recent.forget();
      // Events in flight grow old, and now and then unread ones do.
      if (random(3) === 0) await bench.clock.advance(4 * hourMs);
      if (random(40) === 0) await bench.clock.advance(25 * hourMs);
    }
    while (await takeNext());
    while (sent.length > 0) await confirmNext();
    expect(arrived).toEqual([...new Set(arrived)].sort((a, b) => a - b));
    expect(arrived.length).toBeGreaterThan(200);
    const dropped = (await bench.registry.inspect(bench.channelId))?.dropped.age ?? 0;
    expect(dropped).toBeGreaterThan(20);
    expect(arrived.length + dropped).toBe(appended);
    await expectCountersToBeRight();
  });

  describe('are pushed to a socket of this replica', () => {
    it('as long as it has everything before them', async () => {
      await register({ kind: 'websocket' });
      const { hold, cursor } = await attach();
      const { wake } = await append(numbered(2));
      const permit = wake[0]?.permit;
      if (!permit) throw new Error('not pushed');
      const first = bench.queue.readPushed(hold, cursor.next, permit);
      if (!first) throw new Error('nothing');
      expect(numbersIn(first)).toEqual([0, 1]);
      const more = (await append([event('{"n":2}')])).wake[0]?.permit;
      if (!more) throw new Error('not pushed');
      const second = bench.queue.readPushed(hold, first.to, more);
      if (!second) throw new Error('nothing');
      expect(numbersIn(second)).toEqual([2]);
      expect(bench.queue.readPushed({ ...hold, token: 'of another hold' }, cursor.next, more)).toBeUndefined();
      expect(await bench.queue.confirm(hold, first)).toBe(true);
      expect(await bench.queue.confirm(hold, second)).toBe(true);
      await expectCountersToBeRight();
    });

    it('also behind several small messages that were read together', async () => {
      await register({ kind: 'websocket', eventsMax: 1 });
      await append(numbered(3));
      const { hold, cursor } = await attach();
      const read = await bench.queue.readBatch(hold, cursor, 1_000);
      if (read.outcome !== 'ok') throw new Error(read.outcome);
      expect([read.batch, ...read.behind].map(numbersIn)).toEqual([[0], [1], [2]]);
      expect((await append([event('{"n":3}')])).wake[0]?.permit).toMatchObject({ token: hold.token, to: 4 });
    });

    it('not when something waits before them, nor to a socket of another replica', async () => {
      await register({ kind: 'websocket' });
      await append([event('{"n":1}')]);
      await attach();
      expect((await append([event('{"n":2}')])).wake).toEqual([{ channelId: bench.channelId, owner: 'a#1' }]);
      await attach(bench.other);
      expect((await append([event('{"n":3}')])).wake).toEqual([{ channelId: bench.channelId, owner: 'b#1' }]);
    });

    it('not without end: what is not confirmed is bounded', async () => {
      await register({ kind: 'websocket' });
      await attach();
      const isPermitted = async (count: number): Promise<boolean> =>
        'permit' in ((await append(numbered(count))).wake[0] ?? {});
      expect(await isPermitted(15_000)).toBe(true);
      expect(await isPermitted(6_000)).toBe(false);
    });
  });

  describe('are claimed with their callback channel', () => {
    const claimer = (queue: ChannelQueue, revision: string): ChannelClaimer => ({
      offer: (channelId) => queue.offer(channelId, revision),
      withdraw: () => undefined,
    });

    it('when it had nothing to send', async () => {
      await register({ eventsMax: 2 });
      const appender = await appenderOf('a#1', bench.recent, claimer(bench.queue, '1'));
      const { claimed, callbacksReady } = await append(numbered(3), appender);
      expect(callbacksReady).toBe(false);
      expect(await bench.other.claim(bench.channelId, '')).toBeUndefined();
      if (!claimed[0]) throw new Error('not claimed');
      const claim = bench.queue.claimFrom(claimed[0]);
      expect(numbersIn(claim.batch)).toEqual([0, 1]);
      const next = await bench.queue.ack(claim.hold, claim.batch, 'next', { revision: claim.revision });
      if (next.outcome !== 'next') throw new Error(next.outcome);
      expect(numbersIn(next.batch)).toEqual([2]);
      expect(await bench.queue.ack(claim.hold, next.batch, 'next')).toEqual({ outcome: 'released', more: false });
      await expectCountersToBeRight();
    });

    it('and are free again when their replica is gone', async () => {
      await register();
      const appender = await appenderOf('a#1', bench.recent, claimer(bench.queue, '1'));
      expect((await append(numbered(1), appender)).claimed).toHaveLength(1);
      await bench.releaseHeld('a#1');
      expect(numbersIn((await claimed(bench.other)).batch)).toEqual([0]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['another replica has it', async () => (await append(numbered(1)), await bench.other.claim(bench.channelId, ''))],
      ['something waits already', () => append(numbered(1))],
      [
        'it waits for a retry',
        async () => {
          await append(numbered(1));
          const { hold, batch, revision } = await claimed();
          await bench.queue.fail(hold, batch, 1_000, revision);
        },
      ],
      ['it was registered again', () => register({ createdAtMs: bench.clock.now() })],
      [
        'it is stopped',
        () =>
          register({
            createdAtMs: bench.clock.now(),
            stopped: { reason: 'key_reset', sinceMs: bench.clock.now() },
          }),
      ],
    ])('not when %s', async (_, before) => {
      await register({ createdAtMs: bench.clock.now() });
      await before();
      const appender = await appenderOf('a#1', bench.recent, claimer(bench.queue, '1'));
      expect((await append(numbered(1), appender)).claimed).toEqual([]);
    });
  });
});
