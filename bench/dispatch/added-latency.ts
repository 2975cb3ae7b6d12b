/** Latency from the call that sends to Kafka to the customer, at 1,000 events a second on one channel, beside a bare kafkajs loop. */
import { DeviceValues } from '@lanyard/contracts';
import { startBareLoop } from '../bare.ts';
import { median, percentile, round } from '../statistics.ts';
import { evenly, Travels } from '../travels.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { Listener, nowMs } from './listener.ts';
import { values } from './values.ts';
import type { Bench } from '../benches.ts';

const perSecond = 1_000;
const tickMs = 5;
/** Warm-up of each case: in its first seconds, a broker that was just started takes ten times as long. */
const warmUpSeconds = 8;

export const addedLatency: Bench = {
  about: `${perSecond} events a second to one callback and one WebSocket, beside kafkajs eachBatch and ws.send`,
  replicas: dispatchersOnly(),
  async run({ system, seconds, rounds, say }) {
    const listener = await new Listener().start();
    const [called, listening] = await customers(system, 2);
    if (!called || !listening) throw new Error('no customers');
    let travels = new Travels();
    listener.onValue = (number, atMs) => travels.arrive(number, atMs);
    await called.call('PUT', 'callback', { url: listener.url });
    await listening.call('PUT', 'websocket');
    await listener.connect(system.dispatcherUrl, listening.key);
    const bare = await startBareLoop(system.brokers, DeviceValues.name);
    await listener.connect(bare.url);
    bare.signal('SIGSTOP');
    let next = 0;

    const makeValues = (to: typeof called, forSeconds: number) => {
      const first = next;
      next += forSeconds * perSecond;
      return { first, messages: values([to], first, forSeconds * perSecond) };
    };
    const send = async ({ first, messages }: ReturnType<typeof makeValues>) => {
      const sendOne = (n: number) => {
        travels.depart(first + n, nowMs());
        void system.producer.sendEncoded(DeviceValues, messages[n] as (typeof messages)[number]);
      };
      await evenly(messages.length, perSecond, sendOne, tickMs);
      await travels.allArrived('values');
    };
    const dispatcher = (name: NodeJS.Signals) => system.signal('dispatcher-0', name);
    /** `reader`, `otherReader`: send a signal to the program that is measured, and to the other reader of the topic. */
    const cases = [
      { name: 'callback' as const, to: called, reader: dispatcher, otherReader: bare.signal },
      { name: 'websocket' as const, to: listening, reader: dispatcher, otherReader: bare.signal },
      { name: 'bare' as const, to: listening, reader: bare.signal, otherReader: dispatcher },
    ];
    /** Measures one case: the reader that is not measured is suspended, and catches up before its turn. */
    const measure = async ({ to, reader, otherReader }: (typeof cases)[number], forSeconds: number) => {
      otherReader('SIGSTOP');
      reader('SIGCONT');
      travels = new Travels();
      // Made beforehand, because it takes 70 ms in which nothing is received; its garbage is collected during what follows.
      const [first, counted] = [makeValues(to, 2), makeValues(to, forSeconds)];
      await send(first);
      travels.tookMs = [];
      await send(counted);
      return travels.tookMs;
    };
    /** The latencies of each round, by case, in ms. */
    const took: Record<'callback' | 'websocket' | 'bare', number[][]> = { callback: [], websocket: [], bare: [] };
    for (const each of cases) await measure(each, warmUpSeconds);
    for (let n = 1; n <= rounds; n++) {
      for (const each of cases) took[each.name].push(await measure(each, seconds));
      // Each case is the first one in turn.
      cases.push(...cases.splice(0, 1));
      const ofRound = Object.entries(took).map(([name, all]) => {
        const last = all.at(-1) ?? [];
        return `${name} ${percentile(last, 0.5).toFixed(2)} and ${percentile(last, 0.99).toFixed(2)} ms`;
      });
      say(`round ${n} of ${rounds}: p50 and p99: ${ofRound.join(', ')}`);
    }
    bare.stop();
    listener.stop();
    const figures: Record<string, number> = {};
    for (const p of [50, 99]) {
      /** The median over the rounds, because a round in which the machine stood still says nothing. */
      const middle = (all: number[][]) => median(all.map((one) => percentile(one, p / 100)));
      const bareMs = middle(took.bare);
      figures[`bare_p${p}_ms`] = round(bareMs);
      for (const name of ['callback', 'websocket'] as const) {
        figures[`${name}_p${p}_ms`] = round(middle(took[name]));
        figures[`${name}_added_p${p}_ms`] = round(middle(took[name]) - bareMs);
      }
    }
    return figures;
  },
};
