/** The queue of one channel as it grows: appending to its end, and reading from its head. */
import { dispatchersOnly } from '../dispatch/installation.ts';
import { Queues } from '../dispatch/queues.ts';
import { cpuSeconds } from '../machine.ts';
import { inSizes } from './growth.ts';
import type { Bench } from '../benches.ts';

const eventBytes = 200;
/** Events per megabyte of payload. The dispatcher counts some bytes more for each event: appending to 35 MB drops the oldest. */
const perMegabyte = 1e6 / eventBytes;
const perAppend = 500;
const appends = 200;
const reads = 50;

export const growthOfQueue: Bench = {
  about: 'appending to and reading from a queue that holds 0, 1, 10, 25 and 35 MB of events, in Redis',
  replicas: dispatchersOnly(0),
  async run({ system, say }) {
    const queues = await Queues.open(system.infrastructureUrls.redisUrl);
    const items = Array.from({ length: perAppend }, (_, n) =>
      Buffer.from(`{"n":${n},"x":"`.padEnd(eventBytes - 2, 'x') + '"}'),
    );
    const [channelId = ''] = await queues.channels(1);
    const append = async (times: number) => {
      for (let n = 0; n < times; n++) await queues.append([queues.batch([channelId], items)]);
    };
    const redisSeconds = () => cpuSeconds(system.unit('redis').unit.pid);
    await append(appends);
    const figures = await inSizes([0, 1, 10, 25, 35], 'mb', say, 'append_redis_cpu_us', async (size) => {
      await queues.clear();
      await append(Math.round((size * perMegabyte) / perAppend));
      const [before, appendingAtMs] = [redisSeconds(), performance.now()];
      await append(appends);
      const appendedMs = performance.now() - appendingAtMs;
      const appendCpu = redisSeconds() - before;
      const claim = await queues.queue.claim(channelId, '');
      if (!claim) throw new Error('nothing to read');
      const readingAtMs = performance.now();
      let batch = claim.batch as typeof claim.batch | undefined;
      let read = 0;
      for (; batch && read < reads; read++) {
        const acked = await queues.queue.ack(claim.hold, batch, 'next');
        batch = acked.outcome === 'next' ? acked.batch : undefined;
      }
      return {
        append_ms: appendedMs / appends,
        append_redis_cpu_us: (appendCpu / appends / perAppend) * 1e6,
        batch_read_ms: (performance.now() - readingAtMs) / read,
      };
    });
    queues.close();
    return figures;
  },
};
