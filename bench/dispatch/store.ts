/** Appending to queues and emptying them, beside raw RPUSH (R2) and BullMQ (R6). */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { until } from '../travels.ts';
import { median, round } from '../statistics.ts';
import { dispatchersOnly } from './installation.ts';
import { Queues } from './queues.ts';
import type { Bench } from '../benches.ts';

const events = 160_000;
const perBatch = 2_000;
const eventBytes = 200;
const atOnce = 4;

/** Fewer than for queues, because BullMQ is slower. */
const jobs = 20_000;

const fullQueue = { events: 160_000, bytes: 100 };

const items = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => Buffer.from(`{"n":${n},"x":"`.padEnd(bytes - 2, 'x') + '"}'));

/** How long the work takes, in ms. */
const time = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const rate = async (count: number, work: () => Promise<unknown>) => (count / (await time(work))) * 1_000;

/** Each measurement takes a quarter of a second, in which V8 may compile or Redis rewrite its log: so they are repeated alternately. */
const repeats = 6;

/**
 * Events a second of appending and of its reference, measured in either order.
 * @param append prepares the appending
 */
const inEitherOrder = async (
  append: () => () => Promise<unknown>,
  reference: () => Promise<unknown>,
  clear: () => Promise<unknown>,
) => {
  let [ownMs, referenceMs] = [0, 0];
  for (let n = 0; n < repeats; n++) {
    const work = append();
    if (n % 2 === 1) referenceMs += await time(reference);
    ownMs += await time(work);
    if (n % 2 === 0) referenceMs += await time(reference);
    await clear();
  }
  const perSecond = (ms: number) => ((events * repeats) / ms) * 1_000;
  return { own: perSecond(ownMs), reference: perSecond(referenceMs) };
};

/** R2: variadic RPUSH of each channel's events, in a pipeline for each batch. */
const rpush = async (redis: Redis, channels: number, payloads: Buffer[]) => {
  const perChannel = perBatch / channels;
  await severalAtOnce(atOnce, Array.from({ length: events / perBatch }), async () => {
    const pipeline = redis.pipeline();
    for (let n = 0; n < channels; n++)
      pipeline.rpush(`raw:${n}`, ...payloads.slice(n * perChannel, (n + 1) * perChannel));
    await pipeline.exec();
  });
  await redis.del(...Array.from({ length: channels }, (_, n) => `raw:${n}`));
};

/** R6: jobs a second that BullMQ adds in bulk, and that one worker then does. */
const bullmq = async (redisUrl: string, payloads: Buffer[]) => {
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const name = `bench-${Date.now()}`;
  const queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  const data = String(payloads[0]);
  const add = await rate(jobs, async () => {
    for (let n = 0; n < jobs; n += perBatch)
      await queue.addBulk(Array.from({ length: perBatch }, () => ({ name: 'event', data: { event: data } })));
  });
  let done = 0;
  const drain = await rate(jobs, async () => {
    const worker = new Worker(name, async () => void done++, { connection, concurrency: 100 });
    await until(() => done === jobs, 'jobs', { timeoutMs: 120_000 });
    await worker.close();
  });
  await queue.obliterate({ force: true });
  await queue.close();
  return { add, drain };
};

export const store: Bench = {
  about: 'append to queues and drain them; R2 is raw variadic RPUSH, R6 BullMQ; and what a full queue takes of memory',
  replicas: dispatchersOnly(0),
  async run({ system, rounds, say }) {
    const redisUrl = system.infrastructureUrls.redisUrl;
    const redis = new Redis(redisUrl);
    const queues = await Queues.open(redisUrl);
    const payloads = items(perBatch, eventBytes);
    const many = await queues.channels(100);
    const [hot] = await queues.channels(1);
    if (hot === undefined) throw new Error('no channel');
    const batches = (channels: string[]) =>
      Array.from({ length: events / perBatch }, (_, n) => queues.batch(channels, payloads, n % atOnce));
    const rates: Record<string, number[]> = {};
    const note = (name: string, value: number, n: number) => {
      if (n > 0) (rates[name] ??= []).push(value);
      return `${name} ${Math.round(value)}/s`;
    };
    for (let n = 0; n <= rounds; n++) {
      const said = [];
      const appending = (channels: string[]) => () => {
        const prepared = batches(channels);
        return () => queues.append(prepared);
      };
      const spread = await inEitherOrder(
        appending(many),
        () => rpush(redis, 100, payloads),
        () => queues.clear(),
      );
      said.push(note('append_100', spread.own, n), note('R2_100', spread.reference, n));
      const single = await inEitherOrder(
        appending([hot]),
        () => rpush(redis, 1, payloads),
        () => queues.clear(),
      );
      said.push(note('append_hot', single.own, n), note('R2_hot', single.reference, n));
      await queues.append(batches([hot]));
      let drained = 0;
      const drain = await rate(events, async () => void (drained = await queues.drain(hot)));
      said.push(note('drain', (drain * drained) / events, n));
      if (drained < events) throw new Error(`${drained} of ${events} events drained`);
      const r6 = await bullmq(redisUrl, payloads);
      said.push(note('R6_add', r6.add, n), note('R6_drain', r6.drain, n));
      say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: ${said.join(', ')}`);
    }
    await queues.clear();
    const small = items(perBatch, fullQueue.bytes);
    await queues.append(
      Array.from({ length: fullQueue.events / perBatch }, (_, n) => queues.batch([hot], small, n % atOnce)),
    );
    const { events: kept } = (await queues.registry.inspect(hot)) as { events: number };
    if (kept !== fullQueue.events) throw new Error(`${kept} of ${fullQueue.events} events fit`);
    const megabytes = (await queues.memoryOf(hot)) / 1e6;
    await queues.clear();
    queues.close();
    redis.disconnect();
    const of = (name: string) => median(rates[name] ?? []);
    return {
      append_100_channels_events_per_second: round(of('append_100')),
      R2_100_channels_events_per_second: round(of('R2_100')),
      R2_100_channels_ratio: round(of('append_100') / of('R2_100')),
      append_1_channel_events_per_second: round(of('append_hot')),
      R2_1_channel_events_per_second: round(of('R2_hot')),
      R2_1_channel_ratio: round(of('append_hot') / of('R2_hot')),
      drain_events_per_second: round(of('drain')),
      R6_add_jobs_per_second: round(of('R6_add')),
      R6_add_ratio: round(of('append_hot') / of('R6_add')),
      R6_drain_jobs_per_second: round(of('R6_drain')),
      R6_drain_ratio: round(of('drain') / of('R6_drain')),
      full_queue_160000_of_100_bytes_mb: round(megabytes),
    };
  },
};
