import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import type { IntakeEvent } from '../src/intake/intake-event.js';
import { renderCode, renderOptions } from '../src/messages/render-options.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { ChannelQueue, type Claim } from '../src/queue/channel-queue.js';
import type { EventBatch } from '../src/queue/event-batch.js';
import type { RedisLink } from '../src/queue/redis-link.js';
import { hourMs, queueBench } from './queue-bench.js';

interface Seen {
  ep: string;
  n: number;
}

const devices = 20;

describe('a callback for which values and updates alternate', () => {
  const bench = queueBench();
  const { register, event, append, claimed, expectCountersToBeRight } = bench;
  let count = 0;

  beforeEach(() => {
    count = 0;
  });

  const one = (category: Category, ep = `d${count % devices}`): IntakeEvent =>
    event(JSON.stringify({ ep, n: count++ }), { category });

  /** Of every device a value, then of every device an update, each appended by itself as they come at a low rate. */
  const alternating = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++)
      for (let d = 0; d < devices; d++)
        for (const category of ['notifications', 'reg-updates'] as const) await append([one(category, `d${d}`)]);
  };

  const seenIn = ({ category, message }: EventBatch): Seen[] =>
    (JSON.parse(message.toBuffer().toString()) as Record<string, Seen[]>)[category] ?? [];

  /** Everything that is queued, batch by batch. */
  const drain = async (by: ChannelQueue, { hold, batch }: Claim): Promise<Seen[][]> => {
    const batches = [seenIn(batch)];
    for (let last = batch; ;) {
      const acked = await by.ack(hold, last, 'next');
      await expectCountersToBeRight();
      if (acked.outcome !== 'next') return batches;
      last = acked.batch;
      batches.push(seenIn(last));
    }
  };

  /** Each once, and those of a device in order. */
  const expectInOrder = (seen: readonly Seen[], events: number): void => {
    expect(seen).toHaveLength(events);
    expect(new Set(seen.map(({ n }) => n)).size).toBe(events);
    for (let d = 0; d < devices; d++) {
      const numbers = seen.filter(({ ep }) => ep === `d${d}`).map(({ n }) => n);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  };

  it.each([
    ['from memory', () => undefined],
    ['from Redis', () => bench.recent.forget()],
  ])('gets many of one category at once, each event once and in order, %s', async (_, before) => {
    await register();
    await alternating(3);
    before();
    const batches = await drain(bench.queue, await claimed());
    expect(batches.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20, 20]);
    expectInOrder(batches.flat(), 120);
  });

  it('gets what comes meanwhile behind it', async () => {
    await register();
    await alternating(2);
    const claim = await claimed();
    await alternating(2);
    const seen = (await drain(bench.queue, claim)).flat();
    expectInOrder(seen, 160);
  });

  it('never gets what a replica remembers of another order', async () => {
    await register();
    await alternating(2);
    expect(bench.recent.size).toBeGreaterThan(0);
    // Another replica puts them into another order, sends the first batch, and gives the channel back.
    const elsewhere = await claimed(bench.other);
    const released = await bench.other.ack(elsewhere.hold, elsewhere.batch, 'release');
    expect(released).toEqual({ outcome: 'released', more: true });
    const seen = [seenIn(elsewhere.batch), ...(await drain(bench.queue, await claimed()))].flat();
    expectInOrder(seen, 80);
  });

  it('gets a batch that it refused again as it was', async () => {
    await register();
    await alternating(2);
    const claim = await claimed();
    await bench.queue.fail(claim.hold, claim.batch, 0, claim.revision);
    await alternating(2);
    const again = await claimed(bench.other);
    expect(seenIn(again.batch)).toEqual(seenIn(claim.batch));
    const seen = (await drain(bench.other, again)).flat();
    expectInOrder(seen, 160);
  });

  it('gets everything when its replica is gone in between', async () => {
    await register();
    await alternating(2);
    const claim = await claimed();
    await bench.releaseHeld('a#1');
    const again = await claimed(bench.other);
    expect(seenIn(again.batch)).toEqual(seenIn(claim.batch));
    const seen = (await drain(bench.other, again)).flat();
    expectInOrder(seen, 80);
    expect(await bench.queue.ack(claim.hold, claim.batch, 'next')).toEqual({ outcome: 'fenced' });
  });

  it('gets batches of max_chunk_size, and a few events as they came', async () => {
    await register({ eventsMax: 8 });
    await alternating(2);
    const batches = await drain(bench.queue, await claimed());
    expect(batches.slice(0, 3).map(({ length }) => length)).toEqual([8, 8, 4]);
    expectInOrder(batches.flat(), 80);
    for (let n = 0; n < 4; n++) await append([one(n % 2 ? 'reg-updates' : 'notifications')]);
    expect((await drain(bench.queue, await claimed())).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  it('gets nothing before what waited when they were put into order', async () => {
    await register({ eventsMax: 100 });
    const come = async (first: number): Promise<unknown> => {
      const names = Array.from({ length: 150 }, (_, d) => `d${first + d}`);
      return append(names.flatMap((ep) => [one('notifications', ep), one('reg-updates', ep)]));
    };
    await come(0);
    const claim = await claimed();
    await bench.queue.ack(claim.hold, claim.batch, 'release');
    // Fifty values are left, then updates: values of other devices stay behind both.
    await come(150);
    const batches = await drain(bench.queue, await claimed());
    expect(batches.map(({ length }) => length)).toEqual([50, 100, 50, 100, 50, 100, 50]);
    expect(batches.slice(0, 3).flatMap((seen) => seen.filter(({ n }) => n >= 300))).toEqual([]);
    expectInOrder([...seenIn(claim.batch), ...batches.flat()], 600);
  });

  it('is read for another order once, however many messages it takes', async () => {
    await register();
    // One device alone gains nothing.
    for (let n = 0; n < 100; n++) await append([one(n % 2 ? 'reg-updates' : 'notifications', 'd1')]);
    const commands: string[] = [];
    const link = Object.assign(Object.create(bench.link) as RedisLink, {
      guarded: (...command: Parameters<RedisLink['guarded']>) => {
        commands.push(command[1]);
        return bench.link.guarded(...command);
      },
    });
    const queue = new ChannelQueue(link, bench.keys, bench.clock, 'a#1', bench.recent, new BodyBudget());
    expect(await drain(queue, await claimed(queue))).toHaveLength(100);
    expect(commands.filter((name) => name === 'oldest')).toHaveLength(1);
  });

  describe('keeps the order of a device that is named otherwise', () => {
    const ids = Array.from({ length: devices }, () => newId());
    const render = renderCode({ ...renderOptions(0), use_endpoint_name: true });

    const round = async (): Promise<void> => {
      for (const [d, ep] of ids.entries())
        for (const category of ['notifications', 'reg-updates'] as const)
          await append([event(JSON.stringify({ ep, n: count++ }), { category, endpointName: `d${d}` })]);
    };

    const expectRounds = (seen: readonly Seen[], rounds: number): void => {
      expect(seen).toHaveLength(rounds * 2 * devices);
      for (const [d, id] of ids.entries()) {
        const numbers = seen.filter(({ ep }) => ep === id || ep === `d${d}`).map(({ n }) => n);
        const expected = Array.from({ length: rounds }, (_, n) => 2 * (n * devices + d));
        expect(numbers).toEqual(expected.flatMap((first) => [first, first + 1]));
      }
    };

    it('from now on', async () => {
      const createdAtMs = bench.clock.now();
      await register({ createdAtMs });
      await round();
      await register({ createdAtMs, render });
      await round();
      expectRounds((await drain(bench.queue, await claimed())).flat(), 2);
    });

    it('while the oldest of its events are put into another order', async () => {
      const createdAtMs = bench.clock.now();
      await register({ createdAtMs });
      await round();
      await bench.clock.advance(2 * 60_000);
      await round();
      const guarded = bench.link.guarded.bind(bench.link);
      bench.link.guarded = async (era, name, ...rest) => {
        if (name === 'regroup') {
          bench.link.guarded = guarded;
          await register({ createdAtMs, render });
          await round();
        }
        return guarded(era, name, ...rest);
      };
      expectRounds((await drain(bench.queue, await claimed())).flat(), 3);
    });
  });

  it('gets what was sent before without what was not, should messages become smaller', async () => {
    const createdAtMs = bench.clock.now();
    await register({ createdAtMs });
    for (let n = 0; n < 6; n++) await append([one('notifications')]);
    const { hold, batch, revision } = await claimed();
    await bench.queue.fail(hold, batch, 0, revision);
    for (let n = 0; n < 6; n++) await append([one('notifications')]);
    await register({ createdAtMs, eventsMax: 4 });
    expect((await drain(bench.queue, await claimed())).map(({ length }) => length)).toEqual([4, 2, 4, 2]);
  });

  it('changes order only with what came within a minute', async () => {
    await register();
    for (let n = 0; n < 30; n++) {
      await append([one('notifications', `v${n}`)]);
      await append([one('reg-updates', `u${n}`)]);
      await bench.clock.advance(10_000);
    }
    const batches = await drain(bench.queue, await claimed());
    // Seven of each are within a minute. Of the last ones there are too few.
    expect(batches.map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 7, ...Array<number>(18).fill(1)]);
  });

  it('loses by age what is too old, and nothing else', async () => {
    await register();
    await alternating(1);
    await bench.clock.advance(20 * hourMs);
    await alternating(1);
    const claim = await claimed();
    expect(seenIn(claim.batch).map(({ n }) => n)).toEqual(Array.from({ length: devices }, (_, n) => 2 * n));
    await bench.queue.ack(claim.hold, claim.batch, 'release');
    await bench.clock.advance(5 * hourMs);
    const seen = (await drain(bench.queue, await claimed())).flat();
    expect(seen.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => 40 + n));
  });
});
