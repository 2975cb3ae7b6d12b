/** Events a second from a topic that is already full, through one channel of the whole system. */
import { DeviceValues } from '@lanyard/contracts';
import { openSocket, type Application } from './application.ts';
import { startBareLoop } from './bare.ts';
import { Expected } from './dispatch/expected.ts';
import { send, values } from './dispatch/values.ts';
import { median, round } from './statistics.ts';
import type { Bench } from './benches.ts';

const events = 200_000;

export const throughput: Bench = {
  about: `${events} values out of a full topic through one WebSocket and one callback, beside kafkajs eachBatch and ws.send`,
  async run({ system, rounds, say }) {
    // Suspended, because only the dispatcher is measured: they read the same topic, and would use the processors.
    for (const name of ['snapshot-0', 'event-log-0']) system.signal(name, 'SIGSTOP');
    const [listening, called] = [await system.application(), await system.application()];
    await listening.listen();
    await called.receiveCallbacks();
    let [expected, bareExpected] = [new Expected(0, 0), new Expected(0, 0)];
    listening.onMessage = called.onMessage = (message) => expected.arrive(message);
    const bare = await startBareLoop(system.brokers, DeviceValues.name);
    const socket = await openSocket(bare.url, undefined, (message) => bareExpected.arrive(message));
    const dispatcher = (name: NodeJS.Signals) => system.signal('dispatcher-0', name);
    let [next, twice] = [0, 0];

    /** Fills the topic while both readers are suspended; then they read it one after another. */
    const measure = async (to: Application) => {
      const messages = values([to], next, events);
      [expected, bareExpected] = [new Expected(next, events), new Expected(next, events)];
      next += events;
      dispatcher('SIGSTOP');
      bare.signal('SIGSTOP');
      await send(system, messages);
      const rate = await expected.rateFrom(() => dispatcher('SIGCONT'));
      twice += expected.verify();
      dispatcher('SIGSTOP');
      return { rate, bareRate: await bareExpected.rateFrom(() => bare.signal('SIGCONT')) };
    };
    const rates: Record<'websocket' | 'callback' | 'bare', number[]> = { websocket: [], callback: [], bare: [] };
    // The first round is a warm-up, in which programs are compiled.
    for (let n = 0; n <= rounds; n++) {
      const [websocket, callback] = [await measure(listening), await measure(called)];
      const shown = [websocket, callback].map(({ rate, bareRate }) => `${round(rate)}/s, bare ${round(bareRate)}/s`);
      say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: websocket ${shown[0]}; callback ${shown[1]}`);
      if (n === 0) continue;
      rates.websocket.push(websocket.rate);
      rates.callback.push(callback.rate);
      rates.bare.push(websocket.bareRate, callback.bareRate);
    }
    dispatcher('SIGCONT');
    socket.cut();
    bare.stop();
    listening.close();
    called.close();
    const [websocket, callback, plain] = [median(rates.websocket), median(rates.callback), median(rates.bare)];
    return {
      events,
      websocket_events_per_second: round(websocket),
      callback_events_per_second: round(callback),
      bare_events_per_second: round(plain),
      websocket_ratio: round(websocket / plain),
      callback_ratio: round(callback / plain),
      delivered_twice: twice,
    };
  },
};
