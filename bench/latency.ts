/** Time of a value from a device's datagram to an application's WebSocket frame, at 200 values a second. */
import { DeviceValues } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { notificationsIn, openSocket, type Message } from './application.ts';
import { startBareLoop } from './bare.ts';
import { reportedPath as path, startReporters } from './reporters.ts';
import { besideBare, evenly, Travels } from './travels.ts';
import type { Bench } from './benches.ts';

const perSecond = 200;
const topic = 'bench.latency';

export const latency: Bench = {
  about: 'device value to WebSocket frame at 200/s, beside kafkajs producer, consumer and ws.send',
  async run({ system, seconds, rounds, say }) {
    const [measured, bare] = [new Travels(), new Travels()];
    const into =
      (travels: Travels) =>
      ({ body, atMs }: Message) => {
        for (const { number } of notificationsIn(body)) travels.arrive(number, atMs);
      };
    const app = await system.application();
    app.onMessage = into(measured);
    await app.listen();
    const all = await startReporters(system, app, 'latency');
    await system.kafka.ensureTopics([{ ...DeviceValues, name: topic }]);
    const loop = await startBareLoop(system.brokers, topic);
    const socket = await openSocket(loop.url, undefined, into(bare));

    let number = 1_000;
    const report = () => {
      measured.depart(++number);
      void all[number % all.length]?.device.report(path, number);
    };
    const produce = () => {
      bare.depart(++number);
      const payload = Buffer.from(String(number)).toString('base64');
      const value = Buffer.from(JSON.stringify({ ep: newId(), path, ct: 'text/plain', payload, 'max-age': 60 }));
      void system.producer.sendTo(topic, { key: String(number % all.length), value, headers: {} });
    };
    const measure = async (forSeconds: number) => {
      for (const [travels, act] of [[measured, report] as const, [bare, produce] as const]) {
        await evenly(forSeconds * perSecond, perSecond, act);
        await travels.allArrived('values');
      }
    };
    // A warm-up, in which connections are made and code is compiled.
    await measure(2);
    measured.tookMs.length = bare.tookMs.length = 0;
    for (let n = 0; n < rounds; n++) {
      say(`round ${n + 1} of ${rounds}`);
      await measure(seconds);
    }
    await Promise.all(all.map(({ device }) => device.close()));
    socket.cut();
    loop.stop();
    app.close();
    return { values: measured.tookMs.length, ...besideBare(measured, bare) };
  },
};
