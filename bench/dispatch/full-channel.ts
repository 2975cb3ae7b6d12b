/** A full channel whose endpoint comes back: 160,000 events of 100 bytes, where each answer takes 10 ms. */
import { Receiver } from '../application.ts';
import { until } from '../travels.ts';
import { median, round } from '../statistics.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { Queues } from './queues.ts';
import type { Bench } from '../benches.ts';

const events = 160_000;
const eventBytes = 100;
const perAppend = 2_000;
const answerAfterMs = 10;

export const fullChannel: Bench = {
  about: `${events} events of ${eventBytes} bytes, queued, into an endpoint that answers after ${answerAfterMs} ms`,
  replicas: dispatchersOnly(),
  async run({ system, rounds, say }) {
    const receiver = await new Receiver().start();
    const [customer] = await customers(system, 1);
    if (!customer) throw new Error('no customer');
    await customer.call('PUT', 'callback', { url: receiver.url });
    receiver.answer((_, response) => void setTimeout(() => response.writeHead(204).end(), answerAfterMs));
    let arrived = 0;
    // The text around the events has 20 bytes, and there is one comma less than there are events.
    receiver.onMessage = ({ body }) => (arrived += (body.length - 19) / (eventBytes + 1));
    const item = Buffer.from(`{"n":"${'x'.repeat(eventBytes - 8)}"}`);
    const redisUrl = system.infrastructureUrls.redisUrl;
    const took = [];
    for (let n = 0; n <= rounds; n++) {
      system.signal('dispatcher-0', 'SIGSTOP');
      const queues = await Queues.open(redisUrl, 'dispatcher:');
      queues.accountId = customer.accountId;
      const items = Array.from({ length: perAppend }, () => item);
      for (let done = 0; done < events; done += perAppend) await queues.append([queues.batch([customer.keyId], items)]);
      queues.close();
      arrived = 0;
      const startedAt = performance.now();
      system.signal('dispatcher-0', 'SIGCONT');
      const found = () => `${Math.round(arrived)} came`;
      await until(() => Math.round(arrived) >= events, `${events} events`, { found });
      const tookMs = performance.now() - startedAt;
      say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}: ${Math.round(tookMs)} ms`);
      if (n > 0) took.push(tookMs);
    }
    await receiver.stop();
    return { drained_ms: round(median(took)), events_per_second: round((events / median(took)) * 1_000) };
  },
};
