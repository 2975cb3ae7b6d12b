/** A value on its way from a device's datagram to an application's WebSocket frame, at 200 values a second. */
import { sleep } from '../tools/lanyard/project.ts';
import { DeviceValues } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { thermometer, type DeviceClient } from '@lanyard/testing';
import { numbersIn, type Application, type Message } from './application.ts';
import { startBareLoop } from './bare.ts';
import { percentile, round } from './statistics.ts';
import type { BenchSystem } from './system.ts';
import type { Bench } from './benches.ts';

const perSecond = 200;
const devices = 20;
const path = '/3303/0/5700';
const topic = 'bench.latency';

/** Calls at an even rate for a while. */
const evenly = async (seconds: number, act: () => void) => {
  const startedAt = performance.now();
  for (let n = 0; n < seconds * perSecond; n++) {
    const wait = startedAt + (n * 1_000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    act();
  }
};

export const until = async (condition: () => boolean, what: string, timeoutMs = 60_000) => {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`);
    await sleep(20);
  }
};

/** Numbers on their way: when each left, and how long those took that arrived. */
class Travels {
  next = 1_000;
  left = new Map<number, number>();
  took: number[] = [];

  leave() {
    this.left.set(this.next, performance.now());
    return this.next++;
  }

  arrive({ text, atMs }: Message) {
    for (const number of numbersIn(text)) {
      const leftAt = this.left.get(number);
      if (leftAt === undefined) continue;
      this.took.push(atMs - leftAt);
      this.left.delete(number);
    }
  }
}

const reporters = async (system: BenchSystem, app: Application) => {
  const all = [];
  for (let n = 0; n < devices; n++) {
    const { device } = thermometer({ name: `latency-${n}`, server: system.coapUrl, ackTimeoutMs: 2_000 });
    await device.open();
    await device.register();
    const find = () => app.call('GET', `/v3/devices?endpoint_name=latency-${n}`);
    let found = await find();
    while (found.data.length === 0) found = await find();
    await app.call('PUT', `/v2/subscriptions/${found.data[0].id}${path}`);
    await until(() => device.isObserved(path), 'observation');
    all.push(device);
  }
  return all;
};

export const latency: Bench = {
  about: 'device value to WebSocket frame at 200/s, beside kafkajs producer, consumer and ws.send',
  async run({ system, seconds, rounds, say }) {
    const [ours, bare] = [new Travels(), new Travels()];
    const app = await system.application();
    app.onMessage = (message) => ours.arrive(message);
    await app.listen();
    const all = await reporters(system, app);
    await system.kafka.ensureTopics([{ ...DeviceValues, name: topic }]);
    const loop = await startBareLoop(system.brokers, topic, (message) => bare.arrive(message));

    let turn = 0;
    const report = () => {
      const device = all[turn++ % devices] as DeviceClient;
      void device.report(path, ours.leave());
    };
    const produce = () => {
      const payload = Buffer.from(String(bare.leave())).toString('base64');
      const value = Buffer.from(JSON.stringify({ ep: newId(), path, ct: 'text/plain', payload, 'max-age': 60 }));
      void system.producer.sendTo(topic, { key: String(turn++ % devices), value, headers: {} });
    };
    // Not measured: connections are made, code is compiled.
    for (const [travels, act] of [
      [ours, report],
      [bare, produce],
    ] as const) {
      await evenly(2, act);
      await until(() => travels.left.size === 0, 'warm-up');
      travels.took.length = 0;
    }
    for (let n = 0; n < rounds; n++) {
      say(`round ${n + 1} of ${rounds}`);
      await evenly(seconds, report);
      await until(() => ours.left.size === 0, 'values');
      await evenly(seconds, produce);
      await until(() => bare.left.size === 0, 'values of the bare loop');
    }
    await Promise.all(all.map((device) => device.close()));
    loop.stop();
    app.close();
    const at = ({ took }: Travels, p: number) => round(percentile(took, p));
    return {
      values: ours.took.length,
      p50_ms: at(ours, 0.5),
      p99_ms: at(ours, 0.99),
      max_ms: at(ours, 1),
      bare_p50_ms: at(bare, 0.5),
      bare_p99_ms: at(bare, 0.99),
      bare_max_ms: at(bare, 1),
      p50_ratio: round(at(ours, 0.5) / at(bare, 0.5)),
      p99_ratio: round(at(ours, 0.99) / at(bare, 0.99)),
      added_p50_ms: round(at(ours, 0.5) - at(bare, 0.5)),
      added_p99_ms: round(at(ours, 0.99) - at(bare, 0.99)),
    };
  },
};
