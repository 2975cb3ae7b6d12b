/** Events a second out of a topic that is full already, through one channel. */
import { DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { numbersIn } from './application.mjs';
import { startBareLoop } from './bare.mjs';
import { until } from './latency.mjs';
import { median, round } from './statistics.mjs';

const events = 200_000;
const devices = 100;
const producedAtOnce = 10_000;
const deviceIds = Array.from({ length: devices }, newId);

/** Numbers that arrived, and when the last one did. */
class Arrivals {
  /** @type {Set<number>} */
  numbers = new Set();
  received = 0;
  lastAtMs = 0;

  /** @param {import('./application.mjs').Message} message */
  arrive({ text, atMs }) {
    const numbers = numbersIn(text);
    for (const number of numbers) this.numbers.add(number);
    this.received += numbers.length;
    if (this.numbers.size === events) this.lastAtMs ||= atMs;
  }
}

/** @param {{ keyId: string, accountId: string }} to @param {number} number */
const value = ({ keyId, accountId }, number) => {
  const deviceId = /** @type {string} */ (deviceIds[number % devices]);
  const payload = Buffer.from(String(number)).toString('base64');
  return encodeMessage(
    DeviceValues,
    {
      item: { ep: deviceId, path: '/3303/0/5700', ct: 'text/plain', payload, 'max-age': 60 },
      cause: /** @type {const} */ ('notify'),
      deviceId,
      accountId,
      endpointName: deviceId,
      epoch: 1,
      sequence: number,
      observedAt: new Date().toISOString(),
      audience: [keyId],
    },
    { source: 'bench' },
  );
};

/** @typedef {ReturnType<typeof value>} Encoded */

/** @param {{ keyId: string, accountId: string }} to */
const valuesFor = (to) => Array.from({ length: events }, (_, n) => value(to, n));

/** @param {import('./system.mjs').System} system @param {Encoded[]} values */
const fill = async ({ producer }, values) => {
  for (let n = 0; n < events; n += producedAtOnce)
    await Promise.all(
      values.slice(n, n + producedAtOnce).map((message) => producer.sendEncoded(DeviceValues, message)),
    );
};

/** @param {import('./application.mjs').Application} app */
const arrivalsAt = (app) => {
  const arrivals = new Arrivals();
  app.onMessage = (message) => arrivals.arrive(message);
  return arrivals;
};

/** @type {import('./benches.mjs').Bench} */
export const throughput = {
  about: `${events} values out of a full topic through one WebSocket and one callback, beside kafkajs eachBatch and ws.send`,
  async run({ system, rounds, say }) {
    // They read the same topic, and the machine has few cores: this is about the dispatcher.
    for (const name of ['snapshot-0', 'event-log-0']) system.signal(name, 'SIGSTOP');
    const [listening, called] = [await system.application(), await system.application()];
    await listening.listen();
    await called.beCalled();
    const [forListening, forCalled] = [valuesFor(listening.identity), valuesFor(called.identity)];

    /** @param {(name: NodeJS.Signals) => unknown} signal to the reader @param {Arrivals} arrivals */
    const letGo = async (signal, arrivals) => {
      const startedAt = performance.now();
      signal('SIGCONT');
      await until(() => arrivals.lastAtMs > 0, `${events} events (${arrivals.numbers.size} came)`, 120_000);
      return { rate: (events / (arrivals.lastAtMs - startedAt)) * 1_000, twice: arrivals.received - events };
    };
    const dispatcher = (/** @type {NodeJS.Signals} */ name) => system.signal('dispatcher-0', name);
    /** Fills the topic while the dispatcher stands still, then lets it go. @param {typeof listening} app @param {Encoded[]} values */
    const ours = async (app, values) => {
      const arrivals = arrivalsAt(app);
      dispatcher('SIGSTOP');
      await fill(system, values);
      return letGo(dispatcher, arrivals);
    };
    const bareLoop = async () => {
      const [arrivals, behind] = [new Arrivals(), arrivalsAt(listening)];
      const loop = await startBareLoop(system.brokers, DeviceValues.name, (message) => arrivals.arrive(message));
      dispatcher('SIGSTOP');
      loop.signal('SIGSTOP');
      await fill(system, forListening);
      const measured = await letGo(loop.signal, arrivals);
      loop.stop();
      // The dispatcher reads the same values: the next round starts when it has them behind it.
      await letGo(dispatcher, behind);
      return measured;
    };

    /** @type {Record<'websocket' | 'callback' | 'bare', number[]>} */
    const rates = { websocket: [], callback: [], bare: [] };
    let twice = 0;
    for (let n = 0; n < rounds; n++) {
      const websocket = await ours(listening, forListening);
      const callback = await ours(called, forCalled);
      const bare = await bareLoop();
      twice += websocket.twice + callback.twice;
      rates.websocket.push(websocket.rate);
      rates.callback.push(callback.rate);
      rates.bare.push(bare.rate);
      const shown = [websocket, callback, bare].map(({ rate }) => `${Math.round(rate)}/s`);
      say(`round ${n + 1} of ${rounds}: websocket, callback, bare ${shown.join(', ')}`);
    }
    for (const name of ['snapshot-0', 'event-log-0']) system.signal(name, 'SIGCONT');
    listening.close();
    called.close();
    const [websocket, callback, bare] = [median(rates.websocket), median(rates.callback), median(rates.bare)];
    return {
      events,
      websocket_events_per_second: round(websocket),
      callback_events_per_second: round(callback),
      bare_events_per_second: round(bare),
      websocket_ratio: round(websocket / bare),
      callback_ratio: round(callback / bare),
      delivered_twice: twice,
    };
  },
};
