/** Events from full topics, and their latency, with one to eight dispatchers on a part of a core each. */
import { Receiver } from '../application.ts';
import { Expected, Tally } from '../dispatch/expected.ts';
import { customers, dispatchersOnly } from '../dispatch/installation.ts';
import { send, values } from '../dispatch/values.ts';
import { percentile } from '../statistics.ts';
import { evenly, Travels } from '../travels.ts';
import { DeviceValues } from '@lanyard/contracts';
import { aboutQuotas, inSteps, replicasMax } from './replicas.ts';
import type { Bench } from '../benches.ts';

const channels = 64;
const warmUpEvents = 50_000;
/** Events for each replica. */
const catchUpEvents = 20_000;
/** Rate for the latency. */
const perSecondEach = 100;

export const dispatchers: Bench = {
  about: `values to ${channels} callbacks with 8, 4, 2 and 1 dispatchers ${aboutQuotas}`,
  replicas: dispatchersOnly(replicasMax),
  async run(context) {
    const { system, seconds } = context;
    const receiver = await new Receiver().start();
    const all = await customers(system, channels);
    for (const customer of all) await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number) });
    let next = 0;
    const made = (count: number) => {
      const from = next;
      next += count;
      return { from, messages: values(all, from, count) };
    };
    const catchUp = async (count: number, replicas: number) => {
      const { from, messages } = made(count);
      const expected = new Expected(from, count);
      receiver.onMessage = (arrival) => expected.arrive(arrival);
      const signal = (name: NodeJS.Signals) => {
        for (let n = 0; n < replicas; n++) system.signal(`dispatcher-${n}`, name);
      };
      signal('SIGSTOP');
      await send(system, messages);
      const rate = await expected.rateFrom(() => signal('SIGCONT'));
      expected.verify();
      return rate;
    };
    const paced = async (replicas: number) => {
      const perSecond = perSecondEach * replicas;
      const { from, messages } = made(seconds * perSecond);
      const [tally, travels] = [new Tally(), new Travels()];
      receiver.onMessage = ({ body, atMs }) => {
        for (const { number } of tally.note(body)) travels.arrive(number, atMs);
      };
      await evenly(messages.length, perSecond, (n) => {
        travels.depart(from + n);
        void system.producer.sendEncoded(DeviceValues, messages[n] as (typeof messages)[number]);
      });
      await travels.allArrived('values');
      tally.verifyOrder();
      return travels.tookMs;
    };
    const figures = await inSteps(context, {
      app: 'dispatcher',
      warmUp: () => catchUp(warmUpEvents, replicasMax),
      measure: async (replicas) => {
        const count = catchUpEvents * replicas;
        return { perSecond: await catchUp(count, replicas), count };
      },
      afterwards: async (replicas) => {
        const took = await paced(replicas);
        return { p50_ms: percentile(took, 0.5), p99_ms: percentile(took, 0.99) };
      },
    });
    await receiver.stop();
    return figures;
  },
};
