/** The resources that a device behind a gateway costs a device-proxy, compared with a device that registers itself. */
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { Bench } from '../benches.ts';
import { median, round } from '../statistics.ts';
import { Inspected } from './inspected.ts';
import { Proxy, proxyOnly } from './proxy.ts';

const perGateway = 100;
const devices = Number(process.env.LANYARD_BENCH_DEVICES || 2_000);
const gateways = Math.ceil(devices / perGateway);
const settledMs = 10_000;
const patienceMs = 600_000;

const options = {
  'registrations-per-second': 200,
  'lifetime-seconds': 86_400,
  'update-seconds': 3_600,
  'values-per-second': 0,
};
const behind = { ...options, devices: gateways, 'devices-behind': perGateway, 'name-prefix': 'gateway' };
const alone = { ...options, devices, 'name-prefix': 'alone' };

/** Measures the CPU time of each registration, and the memory afterwards. All devices deregister at the end. */
const measure = async (
  proxy: Proxy,
  inspected: Inspected,
  fleetOptions: Record<string, string | number>,
  sessions: number,
) => {
  const before = await proxy.usage();
  const fleet = await Simulator.start({ server: proxy.system.coapUrl, ...fleetOptions });
  await untilSessions(proxy, sessions);
  const after = await proxy.usage();
  await sleep(settledMs);
  const { used } = await inspected.bytes();
  await fleet.stop('SIGTERM');
  await untilSessions(proxy, 0);
  await sleep(settledMs);
  return {
    cpuUs: ((after.cpuSeconds - before.cpuSeconds) / devices) * 1e6,
    used,
    left: (await inspected.bytes()).used,
  };
};

const untilSessions = async (proxy: Proxy, wanted: number) => {
  let found = NaN;
  const areThere = async () => (found = (await proxy.usage()).sessions) === wanted;
  const hint = () => `There are ${found}.`;
  await waitUntil(`${wanted} sessions`, areThere, { timeoutMs: patienceMs, intervalMs: 100, hint });
};

export const behindGateways: Bench = {
  about: `registration and memory of ${devices} devices behind gateways (LANYARD_BENCH_DEVICES), beside as many that register by themselves`,
  replicas: proxyOnly,
  async run({ system, rounds, say }) {
    const proxy = await new Proxy(system).begin();
    const inspected = await Inspected.open(system);
    const figures: Record<string, number> = { devices, gateways };
    const fleets = {
      behind: { options: behind, sessions: devices + gateways },
      alone: { options: alone, sessions: devices },
    };
    for (const [name, fleet] of Object.entries(fleets)) {
      // In this first round, the registry creates the devices.
      const first = await measure(proxy, inspected, fleet.options, fleet.sessions);
      figures[`${name}_first_registration_cpu_us`] = round(first.cpuUs);
    }
    const found = { behind: [] as number[][], alone: [] as number[][] };
    for (let n = 0; n < rounds; n++)
      for (const name of ['behind', 'alone'] as const) {
        const { cpuUs, used, left } = await measure(proxy, inspected, fleets[name].options, fleets[name].sessions);
        found[name].push([cpuUs, (used - left) / devices]);
        say(`${name}: ${cpuUs.toFixed(0)} µs, ${((used - left) / devices).toFixed(0)} bytes`);
      }
    for (const name of ['behind', 'alone'] as const) {
      figures[`${name}_registration_cpu_us`] = round(median(found[name].map(([cpuUs = 0]) => cpuUs)));
      figures[`${name}_device_bytes`] = round(median(found[name].map(([, bytes = 0]) => bytes)));
    }
    return figures;
  },
};
