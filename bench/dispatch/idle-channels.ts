/** 10,000 channels on which nothing happens. */
import { sleep } from '../../tools/lanyard/project.ts';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { Redis } from 'ioredis';
import { round } from '../statistics.ts';
import { Receiver } from '../application.ts';
import { cpuSeconds, residentBytes } from '../machine.ts';
import { customers, dispatchersOnly } from './installation.ts';
import type { Bench } from '../benches.ts';

const channels = 10_000;
const registeredAtOnce = 16;

const memoryMb = (pid: number) => residentBytes(pid) / 2 ** 20;

export const idleChannels: Bench = {
  about: `memory and CPU of a dispatcher and of Redis with ${channels} idle callback channels (Linux)`,
  replicas: dispatchersOnly(),
  async run({ system, seconds, say }) {
    const pidOf = (name: string) => system.unit(name).unit.pid ?? 0;
    const redis = new Redis(system.infrastructureUrls.redisUrl);
    const redisMb = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / 1e6;
    const receiver = await new Receiver().start();
    const cpu = async () => {
      const names = ['dispatcher-0', 'redis'];
      const before = names.map((name) => cpuSeconds(pidOf(name)));
      await sleep(seconds * 1_000);
      return names.map((name, n) => ((cpuSeconds(pidOf(name)) - (before[n] ?? 0)) / seconds) * 100);
    };
    const [without, withoutMb, withoutRedisMb] = [await cpu(), memoryMb(pidOf('dispatcher-0')), await redisMb()];
    const all = await customers(system, channels);
    let registered = 0;
    const startedAt = performance.now();
    await severalAtOnce(registeredAtOnce, all, async (customer) => {
      await customer.call('PUT', 'callback', { url: receiver.url });
      if (++registered % 2_000 === 0) say(`${registered} registered`);
    });
    const perSecond = (channels / (performance.now() - startedAt)) * 1_000;
    await sleep(5_000);
    const [idle, mb, redisIdleMb] = [await cpu(), memoryMb(pidOf('dispatcher-0')), await redisMb()];
    await receiver.stop();
    redis.disconnect();
    return {
      channels,
      registrations_per_second: round(perSecond),
      dispatcher_cpu_percent: round(idle[0] ?? NaN),
      dispatcher_cpu_without_percent: round(without[0] ?? NaN),
      redis_cpu_percent: round(idle[1] ?? NaN),
      redis_cpu_without_percent: round(without[1] ?? NaN),
      dispatcher_memory_mb: round(mb),
      dispatcher_memory_without_mb: round(withoutMb),
      redis_kb_per_channel: round(((redisIdleMb - withoutRedisMb) * 1_000) / channels),
    };
  },
};
