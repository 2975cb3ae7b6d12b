import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import { eventLifeMs } from '../src/limits.js';
import { ShardAppender } from '../src/intake/shard-appender.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { ChannelQueue, type Hold } from '../src/queue/channel-queue.js';
import type { EventBatch } from '../src/queue/event-batch.js';
import { RecentChunks } from '../src/queue/recent-chunks.js';
import { hourMs, queueBench } from './queue-bench.js';

/** By so much the order of two events may differ from that in which they came: a minute, and the span of a chunk. */
const reorderedMaxMs = 65_000;

const devices = 25;
const steps = 300;
/** In the third, a replica that repeats part of a chunk is killed after the limit of a message was raised. */
const seeds = [1, 2, 424_847, randomInt(1_000_000)];

interface Queued {
  n: number;
  category: Category;
  /** Undefined: the result of a command. */
  device: string | undefined;
  atMs: number;
}

/** What the queue promises, without chunks, counters and scripts. */
class Model {
  readonly appended: Queued[] = [];
  /** In the order in which they were sent first. */
  readonly sent = new Map<number, { atMs: number }>();
  readonly confirmed = new Set<number>();
  /** A batch that comes again as it was, unless it is too old by then. */
  repeated: number[] | undefined;

  add(category: Category, device: string | undefined, atMs: number): Queued {
    const queued = { n: this.appended.length, category, device, atMs };
    this.appended.push(queued);
    return queued;
  }

  send(category: Category, numbers: readonly number[], nowMs: number): void {
    expect(numbers.filter((n) => this.confirmed.has(n))).toEqual([]);
    expect(new Set(numbers.map((n) => this.appended[n]?.category))).toEqual(new Set([category]));
    const isYoung = (n: number): boolean => nowMs - (this.appended[n]?.atMs ?? 0) < eventLifeMs - reorderedMaxMs;
    if (this.repeated?.every(isYoung)) expect(numbers).toEqual(this.repeated);
    this.repeated = undefined;
    for (const n of numbers) if (!this.sent.has(n)) this.sent.set(n, { atMs: nowMs });
  }

  expectOrder(): void {
    const order = [...this.sent.keys()].map((n) => this.appended[n] as Queued);
    const last = new Map<string | undefined, number>();
    let [lastResult, youngestMs] = [-1, -Infinity];
    const place = new Map(order.map(({ n }, at) => [n, at]));
    for (const { n, device, atMs } of order) {
      expect(n).toBeGreaterThan(last.get(device) ?? -1);
      last.set(device, n);
      expect(youngestMs - atMs).toBeLessThanOrEqual(reorderedMaxMs);
      youngestMs = Math.max(youngestMs, atMs);
    }
    for (const { n, device } of this.appended) {
      if (!place.has(n)) continue;
      if (device === undefined) lastResult = place.get(n) as number;
      else expect(place.get(n)).toBeGreaterThan(lastResult);
    }
  }

  /** Only age takes events away unsent, and it takes none that is young. */
  expectNoneLost(dropped: number, nowMs: number): void {
    expect(this.confirmed.size + dropped).toBe(this.appended.length);
    for (const { n, atMs } of this.appended)
      if (!this.sent.has(n)) expect(nowMs - atMs).toBeGreaterThanOrEqual(eventLifeMs);
      else expect((this.sent.get(n)?.atMs ?? 0) - atMs).toBeLessThanOrEqual(eventLifeMs + reorderedMaxMs);
  }
}

describe('the queue of a callback and a model of it agree, whatever happens', () => {
  const bench = queueBench();

  it.each(seeds)('with seed %i', async (seed) => {
    const { clock, channelId, link, keys } = bench;
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const model = new Model();
    const otherRecent = new RecentChunks(1_000_000);
    const replicas = [
      { queue: bench.queue, appender: bench.appender },
      {
        queue: new ChannelQueue(link, keys, clock, 'b#1', otherRecent, new BodyBudget()),
        appender: new ShardAppender(keys.ofChannel(channelId), { link, clock, owner: 'b#1', recent: otherRecent }),
      },
    ] as const;
    replicas[1].appender.setGeneration((await bench.registry.generations())[0] ?? '');
    const anyReplica = () => replicas[random(2)] ?? replicas[0];
    let held: { queue: ChannelQueue; hold: Hold; revision: string; batch: EventBatch } | undefined;
    let wasRegrouped = false;
    const createdAtMs = clock.now();

    const append = async (): Promise<void> => {
      const events = Array.from({ length: 1 + random(4) }, () => {
        const kind = random(20);
        const category =
          kind === 0 ? 'async-responses' : kind < 3 ? 'registrations' : kind < 12 ? 'notifications' : 'reg-updates';
        const device = kind === 0 ? undefined : `d${random(devices)}`;
        const { n } = model.add(category, device, clock.now());
        return bench.event(JSON.stringify(device === undefined ? { id: String(n), n } : { ep: device, n }), {
          category,
        });
      });
      await bench.append(events, anyReplica().appender);
    };
    /** The batch is sent now, or it was never sent. */
    const send = ({ category, message, ...batch }: EventBatch): void => {
      model.send(category, bench.numbersIn({ category, message, ...batch }), clock.now());
    };
    const claim = async (queue: ChannelQueue, isSent = true): Promise<void> => {
      const claimed = await queue.claim(channelId, '');
      if (!claimed) return;
      if (!isSent) return void (await queue.release(claimed.hold));
      held = { queue, ...claimed };
      send(claimed.batch);
    };
    const acknowledge = async (mode: 'next' | 'release'): Promise<void> => {
      if (!held) return;
      const { queue, hold, batch } = held;
      const acked = await queue.ack(hold, batch, mode);
      expect(acked.outcome).not.toBe('fenced');
      for (const n of bench.numbersIn(batch)) model.confirmed.add(n);
      held = acked.outcome === 'next' ? { ...held, batch: acked.batch } : undefined;
      if (acked.outcome === 'next') send(acked.batch);
    };
    /** The batch may have arrived, and comes again. */
    const interrupt = async (): Promise<void> => {
      if (!held) return;
      const { queue, hold, batch, revision } = held;
      held = undefined;
      model.repeated = bench.numbersIn(batch);
      const how = random(3);
      if (how === 0) await queue.fail(hold, batch, 0, revision);
      else if (how === 1) await queue.release(hold, batch.to);
      else {
        for (const owner of ['a#1', 'b#1']) await bench.releaseHeld(owner);
        expect(await queue.ack(hold, batch, 'next')).toEqual({ outcome: 'fenced' });
      }
    };
    const change = async (): Promise<void> => {
      await bench.register({ eventsMax: [2, 7, 40, 10_000][random(4)] ?? 1, createdAtMs });
      // How much a batch has may differ from now on.
      model.repeated = undefined;
      if (held) await acknowledge('release');
    };
    const pass = async (ms: number): Promise<void> => {
      await clock.advance(ms);
      // Part of what was sent may be too old to come again.
      if (ms > hourMs) model.repeated = undefined;
    };

    const forget = (): void => {
      bench.recent.forget();
      otherRecent.forget();
    };

    await bench.register({ createdAtMs });
    for (let step = 0; step < steps; step++) {
      const what = random(100);
      if (what < 60) for (let n = random(5); n >= 0; n--) await append();
      else if (what < 78) await (held ? acknowledge(random(3) === 0 ? 'release' : 'next') : claim(anyReplica().queue));
      else if (what < 86) await interrupt();
      else if (what < 88) await change();
      else if (what < 90 && !held) await claim(anyReplica().queue, false);
      else if (what < 92) forget();
      else await pass(random(30) === 0 ? 13 * hourMs : random(3) === 0 ? 20_000 : random(3_000));
      if (random(4) === 0) await bench.expectCountersToBeRight();
      const born = (await link.redis.hget(keys.ofChannel(channelId).channel(channelId), 'born')) ?? '';
      wasRegrouped ||= born.includes('~');
    }
    if (held) await acknowledge('release');
    for (;;) {
      await claim(anyReplica().queue);
      if (!held) break;
      await acknowledge('next');
      if (held) await acknowledge('release');
      await bench.expectCountersToBeRight();
    }
    expect(wasRegrouped).toBe(true);
    model.expectOrder();
    model.expectNoneLost((await bench.registry.inspect(channelId))?.dropped.age ?? 0, clock.now());
  });
});
