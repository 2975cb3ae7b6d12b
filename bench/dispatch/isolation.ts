/** The effect of dead callbacks on healthy ones. */
import { percentile, median, round } from '../statistics.ts';
import { Receiver } from '../application.ts';
import { until } from '../travels.ts';
import { Expected } from './expected.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { send, values } from './values.ts';
import type { Bench } from '../benches.ts';

const events = 200_000;
const healthy = 100;
const dead = 50;

/** Answers the verification; then it alternately resets connections and does not answer. */
class DeadReceiver extends Receiver {
  isDead = false;
  requests = 0;

  constructor() {
    super();
    this.answer((request, response) => {
      this.requests++;
      if (!this.isDead) response.writeHead(204).end();
      else if (this.requests % 2 === 0) request.socket.resetAndDestroy();
    });
  }
}

export const isolation: Bench = {
  about: `${events} events to ${healthy} callbacks, alone and beside ${dead} that never answer or reset`,
  replicas: dispatchersOnly(),
  async run({ system, rounds, say }) {
    const receiver = await new Receiver().start();
    const all = await customers(system, healthy + dead);
    const [live, deadCustomers] = [all.slice(0, healthy), all.slice(healthy)];
    for (const customer of live) await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number) });
    let next = 0;
    let expected = new Expected(0, 0);
    receiver.onMessage = (arrival) => expected.arrive(arrival);

    const measure = async () => {
      const messages = values(live, next, events);
      expected = new Expected(next, events);
      next += events;
      system.signal('dispatcher-0', 'SIGSTOP');
      await send(system, messages);
      const startedAt = performance.now();
      const rate = await expected.rateFrom(() => system.signal('dispatcher-0', 'SIGCONT'));
      expected.verify();
      const tookMs = expected.arrivals.map(({ atMs }) => atMs - startedAt);
      return { rate, p99Ms: percentile(tookMs, 0.99) };
    };
    const besideDead = async () => {
      const receiverOfDead = await new DeadReceiver().start();
      for (const customer of deadCustomers) await customer.call('PUT', 'callback', { url: receiverOfDead.url });
      receiverOfDead.isDead = true;
      const before = receiverOfDead.requests;
      await send(system, values(deadCustomers, 900_000_000 + next, dead * 20));
      await until(() => receiverOfDead.requests >= before + dead, 'requests to dead channels');
      const measured = await measure();
      for (const customer of deadCustomers) await customer.call('DELETE', 'callback');
      await receiverOfDead.stop();
      return measured;
    };
    const found: Record<'alone' | 'beside', { rate: number; p99Ms: number }[]> = { alone: [], beside: [] };
    for (let n = 0; n <= rounds; n++) {
      // Each case is the first one in turn.
      const besideFirst = n % 2 === 0 ? await besideDead() : undefined;
      const alone = await measure();
      const beside = besideFirst ?? (await besideDead());
      const shown = [alone, beside].map(({ rate, p99Ms }) => `${Math.round(rate)}/s p99 ${Math.round(p99Ms)} ms`);
      say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: alone ${shown[0]}, beside dead ones ${shown[1]}`);
      if (n === 0) continue;
      found.alone.push(alone);
      found.beside.push(beside);
    }
    await receiver.stop();
    const rateOf = (name: 'alone' | 'beside') => median(found[name].map(({ rate }) => rate));
    const p99Of = (name: 'alone' | 'beside') => median(found[name].map(({ p99Ms }) => p99Ms));
    return {
      alone_events_per_second: round(rateOf('alone')),
      beside_dead_events_per_second: round(rateOf('beside')),
      beside_dead_ratio: round(rateOf('beside') / rateOf('alone')),
      beside_dead_p99_ratio: round(p99Of('beside') / p99Of('alone')),
    };
  },
};
