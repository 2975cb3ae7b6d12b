/** Memory of one device-proxy for each registered device and each observation, over plain UDP or DTLS. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { round } from '../statistics.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { announceDevices, securePrefix, writeCredentials } from './credentials.ts';
import { paths } from './fleets.ts';
import { Inspected } from './inspected.ts';
import { Proxy, proxyOnly } from './proxy.ts';
import type { Bench } from '../benches.ts';

/** Sockets that one simulator may have: `ulimit -n` is often 20,000. */
const perSimulator = 15_000;
export const wanted = Number(process.env.LANYARD_BENCH_DEVICES || 10_000);
const updateSeconds = 60;
/** Rate of updates of all devices: rules apply to a device when it updates its registration. */
const updatesPerSecond = 1_000;
const extrapolatedTo = 100_000;

/** Waits until the fleets together have this many. Throws after half an hour. */
export const untilAll = async (fleets: Simulator[], what: 'registered' | 'observations', count: number) => {
  let found = NaN;
  const areThere = async () => {
    const states = await Promise.all(fleets.map((fleet) => fleet.state()));
    found = states.reduce((total, state) => total + state[what], 0);
    return found >= count;
  };
  const hint = () => `There are ${found}.`;
  await waitUntil(`${count} ${what}`, areThere, { timeoutMs: 1_800_000, intervalMs: 1_000, hint });
};

/**
 * Registers the devices at a rate, and returns their simulators.
 * @param type of the devices, if not all are alike; it is also part of their names
 */
export const registerAll = async (
  server: string,
  overDtls: boolean,
  say: (text: string) => void,
  { type = 'simulated', count = wanted }: { type?: string; count?: number } = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-memory-'));
  const fleets: Simulator[] = [];
  const startedAt = performance.now();
  for (let from = 0; from < count; from += perSimulator) {
    const names = namesFrom(from, count);
    const file = join(folder, String(from));
    fleets.push(
      await Simulator.start({
        devices: names.length,
        server,
        sensors: paths.length,
        'device-type': type,
        ...(overDtls ? { 'credentials-file': writeCredentials(file, names) } : { 'name-prefix': `${type}${from}` }),
        'registrations-per-second': overDtls ? 400 : 3_000,
        'lifetime-seconds': 86_400,
        'update-seconds': Math.max(updateSeconds, Math.ceil(count / updatesPerSecond)),
        'values-per-second': 0,
      }),
    );
    await untilAll(fleets, 'registered', from + names.length);
    say(`${from + names.length} registered after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
  rmSync(folder, { recursive: true, force: true });
  return fleets;
};

const namesFrom = (from: number, count = wanted) =>
  Array.from({ length: Math.min(perSimulator, count - from) }, (_, n) => `${securePrefix}memory${from}-${n}`);

export const settledMs = 15_000;

const memoryBench = (overDtls: boolean): Bench => ({
  about: `memory of one device-proxy for ${wanted} devices over ${overDtls ? 'DTLS' : 'UDP'} (LANYARD_BENCH_DEVICES), then for 3 observations of each`,
  replicas: proxyOnly,
  env: { DEVICE_PROXY_COAP_DTLS_CONNECTIONS_PER_ADDRESS_MAX: '1000000' },
  async run({ system, say }) {
    const proxy = await new Proxy(system).begin();
    const inspected = await Inspected.open(system);
    const empty = await inspected.bytes();
    if (overDtls) {
      for (let from = 0; from < wanted; from += perSimulator)
        await announceDevices(system, namesFrom(from), 'simulated');
      await sleep(settledMs);
    }
    const known = await inspected.bytes();
    const server = overDtls ? (system.coapsUrls[0] ?? '') : system.coapUrl;
    const startedAt = performance.now();
    const fleets = await registerAll(server, overDtls, say);
    const registeredAt = performance.now();
    await sleep(settledMs);
    const registered = await inspected.bytes();
    const presubscribedAt = performance.now();
    await proxy.presubscribe(paths);
    await untilAll(fleets, 'observations', wanted * paths.length);
    const observedAt = performance.now();
    await sleep(settledMs);
    const observed = await inspected.bytes();
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    const perDevice = (registered.used - empty.used) / wanted;
    const perObservation = (observed.used - registered.used) / wanted / paths.length;
    const whole = (observed.used - empty.used) / wanted;
    return {
      devices: wanted,
      registered_s: round((registeredAt - startedAt) / 1_000),
      observed_s: round((observedAt - presubscribedAt) / 1_000),
      empty_process_mib: round(empty.used / 2 ** 20),
      ...(overDtls && { device_known_with_key_bytes: round((known.used - empty.used) / wanted) }),
      device_bytes: round(perDevice),
      observation_bytes: round(perObservation),
      device_with_3_observations_bytes: round(whole),
      device_with_3_observations_rss_bytes: round((observed.rss - empty.rss) / wanted),
      extrapolated_100000_mib: round((empty.used + whole * extrapolatedTo) / 2 ** 20),
    };
  },
});

export const memory = memoryBench(false);
export const memoryDtls = memoryBench(true);
