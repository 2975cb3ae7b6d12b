/** Time of a value from a device's datagram to an application's WebSocket frame, at 200 values a second. */
import { DeviceValues } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { notificationsIn, openSocket, type Message } from './application.ts';
import { startBareLoop } from './bare.ts';
import { reportedPath as path, startReporters } from './reporters.ts';
import { besideBare, measureInTurn, Travels } from './travels.ts';
import type { Bench } from './benches.ts';

const perSecond = 200;
const topic = 'bench.latency';

export const latency: Bench = {
  about: 'device value to WebSocket frame at 200/s, beside kafkajs producer, consumer and ws.send',
  async run(context) {
    const { system } = context;
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
    await measureInTurn(context, { perSecond, what: 'values' }, [
      [measured, report],
      [bare, produce],
    ]);
    await Promise.all(all.map(({ device }) => device.close()));
    socket.cut();
    loop.stop();
    app.close();
    return { values: measured.tookMs.length, ...besideBare(measured, bare) };
  },
};
