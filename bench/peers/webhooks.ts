/** Callbacks by the dispatcher compared with the usual solution with BullMQ and undici, from Kafka to the same receiver. */
import { Redis } from 'ioredis';
import { sleep } from '../../tools/lanyard/project.ts';
import { Receiver } from '../application.ts';
import { Expected, Tally } from '../dispatch/expected.ts';
import { Customer, dispatchersOnly } from '../dispatch/installation.ts';
import { values } from '../dispatch/values.ts';
import { cpuSeconds, residentBytes } from '../machine.ts';
import { median, percentile, round } from '../statistics.ts';
import { evenly, Travels, until } from '../travels.ts';
import { bullmq, dispatcher, type Sender } from './senders.ts';
import type { Bench } from '../benches.ts';

const channels = 20;
const perSecond = 200;
const queuedEvents = 20_000;
const refusedEach = 100;
const refusedSeconds = 10;
const killedAfterMs = 3_000;
const killSeconds = 10;
/** BullMQ recovers a job of a dead worker after 30 to 60 s. */
const allCameMs = 180_000;

/** A receiver that refuses every n-th request, if set. */
class RefusingReceiver extends Receiver {
  each = Infinity;
  requests = 0;

  override onCall: Receiver['onCall'] = ({ path, body, answered }) => {
    this.calls.length = 0;
    // The receiver does not answer at the moment.
    if (answered === 0) return;
    this.answer(++this.requests % this.each === 0 ? 503 : 204);
    const channel = Number(path.slice(1));
    if (answered === 204) this.onMessage({ atMs: performance.now(), body: Buffer.from(body, 'latin1'), channel });
  };
}

/** All measurements of a sender, one after another. */
class Trial {
  next: { number: number };
  sender: Sender;
  receiver: RefusingReceiver;
  redis: Redis;

  constructor(sender: Sender, receiver: RefusingReceiver, redis: Redis, next: { number: number }) {
    this.sender = sender;
    this.receiver = receiver;
    this.redis = redis;
    this.next = next;
  }

  values(count: number) {
    const from = this.next.number;
    this.next.number += count;
    return { from, messages: values(this.sender.customers, from, count) };
  }

  /** From a full topic: events a second, and the sender's CPU time for each. */
  async catchUp(count: number) {
    const { sender, receiver } = this;
    const { from, messages } = this.values(count);
    const expected = new Expected(from, count);
    receiver.onMessage = (arrival) => expected.arrive(arrival);
    sender.signal('SIGSTOP');
    await sender.write(messages);
    const before = cpuSeconds(sender.pid());
    const rate = await expected.rateFrom(() => sender.signal('SIGCONT'));
    const cpuUs = ((cpuSeconds(sender.pid()) - before) / count) * 1e6;
    const overtaken = expected.tally().overtaken.length;
    return { rate, cpuUs, overtaken, memory: residentBytes(sender.pid()) };
  }

  /** At a constant rate; `meanwhile` is called for each event that is sent. */
  async paced(seconds: number, meanwhile: (n: number) => void = () => undefined) {
    const { sender, receiver } = this;
    const count = seconds * perSecond;
    const { from, messages } = this.values(count);
    const [tally, travels] = [new Tally(), new Travels()];
    receiver.onMessage = ({ body, atMs }) => {
      for (const { number } of tally.note(body)) travels.arrive(number, atMs);
    };
    await evenly(count, perSecond, (n) => {
      travels.depart(from + n);
      meanwhile(n);
      void sender.write(messages.slice(n, n + 1));
    });
    await until(() => tally.seen.size === count, 'events', { timeoutMs: allCameMs }).catch(() => undefined);
    return {
      took: travels.tookMs,
      lost: count - tally.seen.size,
      twice: tally.twice,
      overtaken: tally.overtaken.length,
    };
  }

  /** Every hundredth request is answered with 503. */
  async refused() {
    this.receiver.each = refusedEach;
    const found = await this.paced(refusedSeconds);
    this.receiver.each = Infinity;
    return found;
  }

  /** kill -9 of the sender under load; it is started again at once. */
  async killed() {
    const { sender } = this;
    let starting: Promise<unknown> | undefined;
    const found = await this.paced(killSeconds, (n) => {
      if (starting || (n * 1_000) / perSecond < killedAfterMs) return;
      sender.signal('SIGKILL');
      starting = sleep(50).then(() => sender.start());
    });
    await starting;
    return found;
  }

  /** Memory of Redis for each event that waits for a receiver that does not answer. */
  async queued() {
    const { sender, receiver } = this;
    const { from, messages } = this.values(queuedEvents);
    const before = await this.usedMemory();
    receiver.onMessage = () => undefined;
    receiver.answer('hang');
    await sender.write(messages);
    let [grown, last] = [0, -1];
    while (grown === 0 || grown > last * 1.01) {
      await sleep(2_000);
      [last, grown] = [grown, (await this.usedMemory()) - before];
    }
    const expected = new Expected(from, queuedEvents);
    receiver.onMessage = (arrival) => expected.arrive(arrival);
    receiver.answer(204);
    receiver.cut();
    await expected.completeWithRepeats();
    return grown / queuedEvents;
  }

  async usedMemory() {
    return Number(/used_memory:(\d+)/.exec(await this.redis.info('memory'))?.[1]);
  }
}

/** Events that are read from a full topic: fewer for BullMQ, which needs much longer for each. */
const catchUpEvents = { ours: 100_000, ours_single: 20_000, bullmq: 20_000, bullmq_ordered: 20_000 };
type Name = keyof typeof catchUpEvents;

/** Throws when events were lost, or when a dispatcher delivered one after a later one of its device. */
const refuseBroken = (name: Name, { lost, overtaken }: { lost: number; overtaken: number }) => {
  if (lost > 0) throw new Error(`${name} lost ${lost} events`);
  if (name.startsWith('ours') && overtaken > 0) throw new Error(`${name} delivered ${overtaken} events out of order`);
};

export const webhooks: Bench = {
  about: `callbacks of ${channels} keys, beside BullMQ with undici: rate, latency, memory, refused requests, kill -9`,
  replicas: dispatchersOnly(),
  async run({ system, seconds, rounds, say }) {
    const receiver = await new RefusingReceiver().start();
    const redis = new Redis(system.infrastructureUrls.redisUrl);
    const customers = () => Array.from({ length: channels }, (_, n) => new Customer(system, n));
    const senders: Record<Name, Sender> = {
      ours: await dispatcher(system, customers(), receiver),
      ours_single: await dispatcher(system, customers(), receiver, 1),
      bullmq: await bullmq(system, customers(), receiver, 'shared'),
      bullmq_ordered: await bullmq(system, customers(), receiver, 'ordered'),
    };
    const next = { number: 0 };
    const trials = Object.entries(senders).map(([name, sender]) => ({
      name: name as Name,
      trial: new Trial(sender, receiver, redis, next),
    }));
    senders.ours.stop();
    /** Results by name and round. */
    const found: Record<string, Awaited<ReturnType<typeof measure>>[]> = {};
    const measure = async (name: Name, trial: Trial) => {
      await trial.sender.start();
      // Its sender was suspended, or is new: after this, it has its partitions.
      await trial.paced(1);
      const caughtUp = await trial.catchUp(catchUpEvents[name]);
      const { took, ...steady } = await trial.paced(seconds);
      trial.sender.stop();
      refuseBroken(name, { lost: steady.lost, overtaken: caughtUp.overtaken + steady.overtaken });
      return { ...caughtUp, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
    };
    for (let n = 0; n <= rounds; n++)
      for (const { name, trial } of trials) {
        const one = await measure(name, trial);
        say(
          `${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}, ${name}: ${Math.round(one.rate)}/s, ${one.cpuUs.toFixed(0)} µs each; at ${perSecond}/s p50 ${one.p50.toFixed(1)}, p99 ${one.p99.toFixed(1)} ms`,
        );
        if (n > 0) (found[name] ??= []).push(one);
      }
    const figures: Record<string, number> = {};
    for (const { name, trial } of trials) {
      const middle = (figure: keyof (typeof found)[string][number]) =>
        round(median((found[name] ?? []).map((one) => one[figure])));
      Object.assign(figures, {
        [`${name}_events_per_second`]: middle('rate'),
        [`${name}_event_cpu_us`]: middle('cpuUs'),
        [`${name}_p50_ms`]: middle('p50'),
        [`${name}_p99_ms`]: middle('p99'),
        [`${name}_overtaken`]: middle('overtaken'),
        [`${name}_process_mb`]: round(middle('memory') / 1e6),
        ...(await troubles(name, trial, say)),
      });
    }
    const broken = Object.entries(figures).filter(([name, n]) => /^ours.*(lost|overtaken)$/.test(name) && n > 0);
    if (broken.length > 0) throw new Error(`broken: ${JSON.stringify(broken)}`);
    const ratio = (name: Name, figure: string) =>
      round((figures[`ours_${figure}`] ?? 0) / (figures[`${name}_${figure}`] ?? 0));
    figures.bullmq_rate_ratio = ratio('bullmq', 'events_per_second');
    figures.bullmq_ordered_rate_ratio = ratio('bullmq_ordered', 'events_per_second');
    figures.bullmq_p99_ratio = ratio('bullmq', 'p99_ms');
    redis.disconnect();
    await receiver.stop();
    return figures;
  },
};

/** Measures waiting events, refused events, and the outcome of all events after a kill. */
const troubles = async (name: Name, trial: Trial, say: (text: string) => void) => {
  await trial.sender.start();
  const queuedBytes = await trial.queued();
  const refused = await trial.refused();
  const killed = await trial.killed();
  trial.sender.stop();
  const figures = {
    [`${name}_queued_event_redis_bytes`]: round(queuedBytes),
    [`${name}_refused_p99_ms`]: round(percentile(refused.took, 0.99)),
    [`${name}_refused_overtaken`]: refused.overtaken,
    [`${name}_killed_latest_ms`]: round(percentile(killed.took, 1)),
    [`${name}_killed_twice`]: killed.twice,
    [`${name}_killed_overtaken`]: killed.overtaken,
    [`${name}_lost`]: refused.lost + killed.lost,
  };
  say(JSON.stringify(figures));
  return figures;
};
