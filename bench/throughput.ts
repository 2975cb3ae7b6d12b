/** Events a second out of a topic that is full already, through one channel. */
import { DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { numbersIn, type Message } from './application.ts';
import { startBareLoop } from './bare.ts';
import { until } from './latency.ts';
import { median, round } from './statistics.ts';
import type { BenchSystem } from './system.ts';
import type { Bench } from './benches.ts';

const events = 200_000;
const devices = 100;
const producedAtOnce = 10_000;
const deviceIds = Array.from({ length: devices }, newId);

/** The numbers from `from` on, as they arrive. */
class Arrivals {
  seen = new Set<number>();
  received = 0;
  disordered = 0;
  lastAtMs = 0;
  newest: number[] = Array(devices).fill(-1);
  from: number;

  constructor(from: number) {
    this.from = from;
  }

  arrive({ text, atMs }: Message) {
    for (const number of numbersIn(text)) {
      if (number < this.from || number >= this.from + events) continue;
      this.received++;
      if (this.seen.has(number)) continue;
      this.seen.add(number);
      const device = number % devices;
      if (number < (this.newest[device] ?? 0)) this.disordered++;
      this.newest[device] = number;
    }
    if (this.seen.size === events) this.lastAtMs ||= atMs;
  }

  async complete() {
    await until(() => this.lastAtMs > 0, `${events} events (${this.seen.size} came)`, 120_000);
    if (this.disordered > 0) throw new Error(`${this.disordered} values overtook an older one of their device`);
  }
}

const value = ({ keyId, accountId }: { keyId: string; accountId: string }, number: number) => {
  const deviceId = deviceIds[number % devices] as string;
  const payload = Buffer.from(String(number)).toString('base64');
  return encodeMessage(
    DeviceValues,
    {
      item: { ep: deviceId, path: '/3303/0/5700', ct: 'text/plain', payload, 'max-age': 60 },
      cause: 'notify' as const,
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

/**
 * Writes values with the numbers from `from` on.
 * @param ready called when they are made, before the first is sent
 */
const fill = async (
  { producer }: BenchSystem,
  to: { keyId: string; accountId: string },
  from: number,
  ready: () => void,
) => {
  const values = Array.from({ length: events }, (_, n) => value(to, from + n));
  ready();
  for (let n = 0; n < events; n += producedAtOnce)
    await Promise.all(values.slice(n, n + producedAtOnce).map((v) => producer.sendEncoded(DeviceValues, v)));
};

export const throughput: Bench = {
  about: `${events} values out of a full topic through one WebSocket and one callback, beside kafkajs eachBatch and ws.send`,
  async run({ system, rounds, say }) {
    // They read the same topic, and the machine has few cores: this is about the dispatcher.
    for (const name of ['snapshot-0', 'event-log-0']) system.signal(name, 'SIGSTOP');
    const [listening, called] = [await system.application(), await system.application()];
    await listening.listen();
    await called.beCalled();
    let arrivedBare = new Arrivals(0);
    const bare = await startBareLoop(system.brokers, DeviceValues.name, (message) => arrivedBare.arrive(message));
    bare.signal('SIGSTOP');
    const dispatcher = (name: NodeJS.Signals) => system.signal('dispatcher-0', name);
    let next = 0;

    /** @param signal to the reader */
    const letGo = async (signal: (name: NodeJS.Signals) => unknown, arrivals: Arrivals) => {
      const startedAt = performance.now();
      signal('SIGCONT');
      await arrivals.complete();
      return { rate: (events / (arrivals.lastAtMs - startedAt)) * 1_000, twice: arrivals.received - events };
    };
    const expect = (app: typeof listening) => {
      const arrivals = new Arrivals(next);
      app.onMessage = (message) => arrivals.arrive(message);
      next += events;
      return arrivals;
    };
    /** Fills the topic while the dispatcher stands still, then lets it go. */
    const ours = async (app: typeof listening) => {
      const arrivals = expect(app);
      await fill(system, app.identity, arrivals.from, () => dispatcher('SIGSTOP'));
      return letGo(dispatcher, arrivals);
    };
    const reference = async () => {
      // What the dispatcher had is in the topic too: first past that, then the same for both.
      arrivedBare = new Arrivals(next - events);
      await letGo(bare.signal, arrivedBare);
      const behind = expect(listening);
      const arrivals = (arrivedBare = new Arrivals(behind.from));
      await fill(system, listening.identity, arrivals.from, () =>
        [dispatcher, bare.signal].map((stop) => stop('SIGSTOP')),
      );
      const measured = await letGo(bare.signal, arrivals);
      bare.signal('SIGSTOP');
      await letGo(dispatcher, behind);
      return measured;
    };

    const rates: Record<'websocket' | 'callback' | 'bare', number[]> = { websocket: [], callback: [], bare: [] };
    let twice = 0;
    // The first round is not counted: programs are compiled while they run.
    for (let n = 0; n <= rounds; n++) {
      const [websocket, callback, plain] = [await ours(listening), await ours(called), await reference()];
      const shown = [websocket, callback, plain].map(({ rate }) => `${Math.round(rate)}/s`);
      say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: websocket, callback, bare ${shown.join(', ')}`);
      if (n === 0) continue;
      twice += websocket.twice + callback.twice;
      rates.websocket.push(websocket.rate);
      rates.callback.push(callback.rate);
      rates.bare.push(plain.rate);
    }
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
