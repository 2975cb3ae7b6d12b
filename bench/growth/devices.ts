/** One device-proxy with a growing number of silent devices: the cost of values and updates of others, and of idling. */
import { sleep } from '../../tools/lanyard/project.ts';
import { paths, updates, values } from '../devices/fleets.ts';
import { registerAll } from '../devices/memory.ts';
import { Proxy, proxyOnly } from '../devices/proxy.ts';
import { inSizes } from './growth.ts';
import type { Bench } from '../benches.ts';

const most = Number(process.env.LANYARD_BENCH_DEVICES || 100_000);
const sizes = [1_000, 10_000, 100_000].filter((size) => size <= most);

export const growthOfDevices: Bench = {
  about: `CPU of a value, of an update and of idling with ${sizes.join(', ')} registered devices (LANYARD_BENCH_DEVICES: no more)`,
  replicas: proxyOnly,
  async run({ system, seconds, say }) {
    const proxy = await new Proxy(system).begin();
    const target = { url: system.coapUrl, usage: () => proxy.usage() };
    await proxy.presubscribe(paths);
    await values(target, seconds, 1);
    let registered = 0;
    return inSizes(sizes, 'devices', say, 'value_cpu_us', async (size) => {
      const fleets = await registerAll(target.url, false, say, { type: `silent${size}`, count: size - registered });
      registered = size;
      // Silent devices need no simulator: they stay registered until their registrations expire.
      await Promise.all(fleets.map((fleet) => fleet.stop()));
      await sleep(5_000);
      const [before, after] = [await proxy.usage(), await sleep(seconds * 1_000).then(() => proxy.usage())];
      const idle = (after.cpuSeconds - before.cpuSeconds) / ((after.atMs - before.atMs) / 1_000);
      const value = await values(target, seconds, 1);
      const update = await updates(target, seconds, `updates${size}`);
      return {
        idle_cpu_percent: idle * 100,
        value_cpu_us: value.cpuUs,
        values_per_second: value.perSecond,
        update_cpu_us: update.cpuUs,
      };
    });
  },
};
