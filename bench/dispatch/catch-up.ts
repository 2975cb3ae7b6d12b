/** Delivers events from a full topic to customers, compared with a kafkajs loop that only reads (R1). */
import { DeviceValues } from '@lanyard/contracts';
import { median, round } from '../statistics.ts';
import { startBareConsumer } from './bare-consumer-process.ts';
import { Expected } from './expected.ts';
import { Receiver } from '../application.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { send, values } from './values.ts';
import type { Bench } from '../benches.ts';

const events = 200_000;

export const catchUp: Bench = {
  about: `${events} values out of a full topic to 1, 20 and 200 callbacks and one WebSocket; R1 is a bare kafkajs eachBatch`,
  replicas: dispatchersOnly(),
  async run({ system, rounds, say }) {
    const receiver = await new Receiver().start();
    const all = await customers(system, 221);
    const [socket, hot, ...rest] = all;
    if (!socket || !hot) throw new Error('no customers');
    const groups = [
      { name: '1_channel', to: [hot] },
      { name: '20_channels', to: rest.slice(0, 20) },
      { name: '200_channels', to: rest.slice(0, 200) },
      { name: '1_websocket', to: [socket] },
    ];
    let expected = new Expected(0, 0);
    receiver.onMessage = (arrival) => expected.arrive(arrival);
    for (const customer of all.slice(1))
      await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number) });
    const open = await socket.listen((arrival) => expected.arrive(arrival));
    const plain = await startBareConsumer(system.brokers, DeviceValues.name, 'plain');
    const lean = await startBareConsumer(system.brokers, DeviceValues.name, 'lean');
    let next = 0;
    let twice = 0;
    const rates: Record<string, { own: number[]; plain: number[]; lean: number[] }> = {};
    // The first round is a warm-up, in which programs are compiled.
    for (let n = 0; n <= rounds; n++) {
      for (const { name, to } of groups) {
        const messages = values(to, next, events);
        expected = new Expected(next, events);
        next += events;
        system.signal('dispatcher-0', 'SIGSTOP');
        await send(system, messages);
        const own = await expected.rateFrom(() => system.signal('dispatcher-0', 'SIGCONT'));
        const repeated = expected.verify();
        system.signal('dispatcher-0', 'SIGSTOP');
        const [r1, r1Lean] = [await plain.read(events), await lean.read(events)];
        system.signal('dispatcher-0', 'SIGCONT');
        const round_ = n === 0 ? 'warm-up' : `round ${n} of ${rounds}`;
        say(`${round_}, ${name}: ${Math.round(own)}/s, R1 ${Math.round(r1)}/s, lean ${Math.round(r1Lean)}/s`);
        if (n === 0) continue;
        const of = (rates[name] ??= { own: [], plain: [], lean: [] });
        of.own.push(own);
        of.plain.push(r1);
        of.lean.push(r1Lean);
        twice += repeated;
      }
    }
    plain.stop();
    lean.stop();
    open.cut();
    await receiver.stop();
    const figures: Record<string, number> = { events };
    for (const [name, { own, plain: r1, lean: r1Lean }] of Object.entries(rates)) {
      figures[`${name}_events_per_second`] = round(median(own));
      figures[`R1_${name}_events_per_second`] = round(median(r1));
      figures[`R1_${name}_ratio`] = round(median(own) / median(r1));
      figures[`R1_lean_${name}_ratio`] = round(median(own) / median(r1Lean));
    }
    return { ...figures, delivered_twice: twice };
  },
};
