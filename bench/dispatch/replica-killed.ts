/** Two dispatchers: their combined rate, and how long channels wait when one of them is killed. */
import { sleep } from '../../tools/lanyard/project.ts';
import { Receiver } from '../application.ts';
import { evenly } from '../travels.ts';
import { DeviceValues } from '@lanyard/contracts';
import { median, percentile, round } from '../statistics.ts';
import { Expected } from './expected.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { send, values } from './values.ts';
import type { Bench } from '../benches.ts';

const channels = 40;
const events = 100_000;
const perSecond = 400;
const watchMs = 12_000;
const beforeMs = 3_000;

/** Shorter pauses are not caused by the kill. */
const pauseMs = 400;

export const replicaKilled: Bench = {
  about: 'catching up with one and two dispatchers; kill -9 of one: until its channels deliver again',
  replicas: dispatchersOnly(2),
  async run({ system, rounds, say }) {
    const receiver = await new Receiver().start();
    const all = await customers(system, channels);
    for (const customer of all) await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number) });
    const replicas = ['dispatcher-0', 'dispatcher-1'];
    let next = 0;

    const catchUp = async () => {
      const messages = values(all, next, events);
      const expected = new Expected(next, events);
      next += events;
      receiver.onMessage = (arrival) => expected.arrive(arrival);
      for (const name of replicas) system.signal(name, 'SIGSTOP');
      await send(system, messages);
      const rate = await expected.rateFrom(() => replicas.forEach((name) => system.signal(name, 'SIGCONT')));
      expected.verify();
      return rate;
    };
    /** How long each channel that stood still had to wait. */
    const kill = async () => {
      const count = (perSecond * (beforeMs + watchMs)) / 1_000;
      const messages = values(all, next, count);
      const expected = new Expected(next, count);
      next += count;
      const last = new Map<number, number>();
      const longest = new Map<number, number>();
      let killedAt = Infinity;
      receiver.onMessage = (arrival) => {
        const { channel, atMs } = arrival;
        expected.arrive(arrival);
        if (atMs > killedAt)
          longest.set(channel, Math.max(longest.get(channel) ?? 0, atMs - Math.max(killedAt, last.get(channel) ?? 0)));
        last.set(channel, atMs);
      };
      const startedAt = performance.now();
      await evenly(count, perSecond, (n) => {
        if (killedAt === Infinity && performance.now() - startedAt > beforeMs) {
          system.signal('dispatcher-1', 'SIGKILL');
          killedAt = performance.now();
        }
        void system.producer.sendEncoded(DeviceValues, messages[n] as (typeof messages)[number]);
      });
      await expected.completeWithRepeats();
      const twice = expected.verify();
      await system.restart('dispatcher-1');
      return { stoodStillMs: [...longest.values()].filter((ms) => ms > pauseMs), twice };
    };
    const together = [];
    const stoodStillMs = [];
    let twice = 0;
    for (let n = 0; n <= rounds; n++) {
      const rate = await catchUp();
      const killed = await kill();
      say(
        `${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: two together ${Math.round(rate)}/s; after the kill ${killed.stoodStillMs.length} channels stood still, p50 ${Math.round(percentile(killed.stoodStillMs, 0.5))} ms`,
      );
      if (n === 0) continue;
      together.push(rate);
      stoodStillMs.push(...killed.stoodStillMs);
      twice += killed.twice;
    }
    system.signal('dispatcher-1', 'SIGTERM');
    replicas.pop();
    await sleep(5_000);
    const alone = [];
    for (let n = 0; n < rounds; n++) alone.push(await catchUp());
    await receiver.stop();
    return {
      one_replica_events_per_second: round(median(alone)),
      two_replicas_events_per_second: round(median(together)),
      two_replicas_ratio: round(median(together) / median(alone)),
      killed_replica_channels: stoodStillMs.length,
      killed_replica_stood_still_p50_ms: round(percentile(stoodStillMs, 0.5)),
      killed_replica_stood_still_max_ms: round(percentile(stoodStillMs, 1)),
      delivered_twice: twice,
    };
  },
};
