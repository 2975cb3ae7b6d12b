/** Values that one to eight device-proxies acknowledge, on a part of a core each. */
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { paths } from '../devices/fleets.ts';
import { Proxy, proxyOnly, Reporters } from '../devices/proxy.ts';
import { aboutQuotas, inSteps, replicasMax } from './replicas.ts';
import type { Bench } from '../benches.ts';

/** Each device has one value in flight. */
const devicesEach = 100;
const warmUpMs = 10_000;

export const proxies: Bench = {
  about: `values of ${devicesEach} devices for each of 8, 4, 2 and 1 device-proxies ${aboutQuotas}`,
  replicas: { ...proxyOnly, 'device-proxy': replicasMax },
  async run(context) {
    const { system, seconds } = context;
    const proxy = await new Proxy(system).begin();
    await proxy.presubscribe(paths);
    const fleets = await Promise.all(
      system.coapUrls.map((url, n) => Reporters.report(url, devicesEach, paths, n * devicesEach)),
    );
    const total = async (what: 'values' | 'observations') =>
      (await Promise.all(fleets.map((fleet) => fleet.state()))).reduce((sum, state) => sum + state[what], 0);
    const wanted = replicasMax * devicesEach * paths.length;
    await waitUntil('observations', async () => (await total('observations')) >= wanted, { timeoutMs: 300_000 });
    const figures = await inSteps(context, {
      app: 'device-proxy',
      warmUp: () => sleep(warmUpMs),
      measure: async (replicas) => {
        const before = await total('values');
        await sleep(seconds * 1_000);
        const count = (await total('values')) - before;
        const perSecond = count / seconds;
        // Little's law, because all devices wait all the time.
        return { perSecond, count, acknowledged_ms: ((devicesEach * replicas) / perSecond) * 1_000 };
      },
    });
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    return figures;
  },
};
