/** Redis is killed with 400 MB in queues and restarted at once: how long it takes until customers get events. */
import { sleep } from '../../tools/lanyard/project.ts';
import { Redis } from 'ioredis';
import { Receiver } from '../application.ts';
import { until } from '../travels.ts';
import { percentile, round } from '../statistics.ts';
import { customers, dispatchersOnly } from './installation.ts';
import { Queues } from './queues.ts';
import type { Bench } from '../benches.ts';

const channels = 10;
const eventsEach = 185_000;
const eventBytes = 200;
const perAppend = 5_000;

export const redisKilled: Bench = {
  about: `kill -9 of Redis with ${channels} queues of ${Math.round((eventsEach * eventBytes) / 1e6)} MB`,
  replicas: dispatchersOnly(),
  async run({ system, say }) {
    const receiver = await new Receiver().start();
    const all = await customers(system, channels);
    for (const customer of all) await customer.call('PUT', 'callback', { url: receiver.urlOf(customer.number) });
    const redisUrl = system.infrastructureUrls.redisUrl;
    const item = Buffer.from(`{"n":"${'x'.repeat(eventBytes - 8)}"}`);
    const items = Array.from({ length: perAppend }, () => item);
    system.signal('dispatcher-0', 'SIGSTOP');
    const queues = await Queues.open(redisUrl, 'dispatcher:');
    for (const { keyId, accountId } of all) {
      queues.accountId = accountId;
      for (let n = 0; n < eventsEach; n += perAppend) await queues.append([queues.batch([keyId], items)]);
    }
    const megabytes = (await queues.usedMemory()) / 1e6;
    queues.close();
    say(`Redis has ${Math.round(megabytes)} MB`);
    const first = new Map<number, number>();
    let events = 0;
    let killedAt = Infinity;
    receiver.onMessage = ({ atMs, channel, body }) => {
      events += (body.length - 19) / (eventBytes + 1);
      if (atMs > killedAt && !first.has(channel)) first.set(channel, atMs);
    };
    const { unit, launch } = system.unit('redis');
    system.signal('redis', 'SIGKILL');
    system.signal('dispatcher-0', 'SIGCONT');
    killedAt = performance.now();
    await sleep(50);
    unit.pid = launch();
    const redis = new Redis(redisUrl, { retryStrategy: () => 20, maxRetriesPerRequest: null, maxLoadingRetryTime: 20 });
    redis.on('error', () => undefined);
    await redis.ping();
    const readyMs = performance.now() - killedAt;
    redis.disconnect();
    await until(() => first.size === channels, 'every channel', { found: () => `${first.size} delivered` });
    const againMs = [...first.values()].map((atMs) => atMs - killedAt);
    const allCame = () => Math.round(events) >= channels * eventsEach;
    await until(allCame, 'all events', { timeoutMs: 180_000, found: () => `${Math.round(events)} came` });
    await receiver.stop();
    return {
      queued_mb: round((channels * eventsEach * eventBytes) / 1e6),
      redis_ready_ms: round(readyMs),
      first_channel_delivers_ms: round(Math.min(...againMs)),
      every_channel_delivers_ms: round(percentile(againMs, 1)),
      delivered_twice: Math.round(events) - channels * eventsEach,
    };
  },
};
