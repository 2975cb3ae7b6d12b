/** One dispatcher at a constant rate, with a growing number of channels, or with the same channels spread over more accounts. */
import { DeviceValues } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { Receiver } from '../application.ts';
import { Tally } from '../dispatch/expected.ts';
import { Customer, dispatchersOnly } from '../dispatch/installation.ts';
import { values } from '../dispatch/values.ts';
import { cpuSeconds } from '../machine.ts';
import { percentile } from '../statistics.ts';
import { evenly, Travels } from '../travels.ts';
import { inSizes } from './growth.ts';
import type { Bench, Context } from '../benches.ts';
import type { BenchSystem } from '../system.ts';

const perSecond = 500;
const warmUpSeconds = 3;
const registeredAtOnce = 16;

const register = (system: BenchSystem, customers: Customer[], receiver: Receiver) =>
  severalAtOnce(registeredAtOnce, [...customers.entries()], async ([n, customer]) => {
    await customer.announce(system.producer);
    await customer.call('PUT', 'callback', { url: receiver.urlOf(n) });
  });

/** Latency, and CPU time for each event, at a constant rate. */
const atEvenRate = ({ system, seconds }: Context, receiver: Receiver) => {
  let next = 0;
  const run = async (customers: Customer[], forSeconds: number) => {
    const [from, count] = [next, perSecond * forSeconds];
    next += count;
    const messages = values(customers, from, count);
    const [tally, travels] = [new Tally(), new Travels()];
    receiver.onMessage = ({ body, atMs }) => {
      for (const { number } of tally.note(body)) travels.arrive(number, atMs);
    };
    const used = () => ['dispatcher-0', 'redis'].map((name) => cpuSeconds(system.unit(name).unit.pid));
    const [dispatcher = 0, redis = 0] = used();
    await evenly(count, perSecond, (n) => {
      travels.depart(from + n);
      void system.producer.sendEncoded(DeviceValues, messages[n] as (typeof messages)[number]);
    });
    await travels.allArrived('values');
    tally.verifyOrder();
    const [dispatcherAfter = 0, redisAfter = 0] = used();
    return {
      cpu_us: ((dispatcherAfter - dispatcher) / count) * 1e6,
      redis_cpu_us: ((redisAfter - redis) / count) * 1e6,
      p50_ms: percentile(travels.tookMs, 0.5),
      p99_ms: percentile(travels.tookMs, 0.99),
    };
  };
  return async (customers: Customer[]) => {
    await run(customers, warmUpSeconds);
    return run(customers, seconds);
  };
};

export const growthOfChannels: Bench = {
  about: `${perSecond} events/s to 10, 100, 1,000 and 10,000 callbacks: CPU for each, latency`,
  replicas: dispatchersOnly(),
  async run(context) {
    const { system, say } = context;
    const receiver = await new Receiver().start();
    const measure = atEvenRate(context, receiver);
    const customers: Customer[] = [];
    const figures = await inSizes([10, 100, 1_000, 10_000], 'channels', say, 'cpu_us', async (size) => {
      const more = Array.from(
        { length: size - customers.length },
        (_, n) => new Customer(system, customers.length + n),
      );
      await register(system, more, receiver);
      customers.push(...more);
      return measure(customers);
    });
    await receiver.stop();
    return figures;
  },
};

const channels = 100;

export const growthOfAccounts: Bench = {
  about: `${perSecond} events/s to ${channels} callbacks of 1, 10 and 100 accounts: CPU for each, latency`,
  replicas: dispatchersOnly(),
  async run(context) {
    const { system, say } = context;
    const receiver = await new Receiver().start();
    const measure = atEvenRate(context, receiver);
    const figures = await inSizes([1, 10, 100], 'accounts', say, 'cpu_us', async (size) => {
      const accounts = Array.from({ length: size }, newId);
      const customers = Array.from({ length: channels }, (_, n) => new Customer(system, n, accounts[n % size]));
      await register(system, customers, receiver);
      return measure(customers);
    });
    await receiver.stop();
    return figures;
  },
};
