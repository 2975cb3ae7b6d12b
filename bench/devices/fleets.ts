/** The rates of fleets of devices, and the CPU time that a server needs for each registration, update and value. */
import { median } from '../statistics.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { Reporters } from './proxy.ts';

export const fleetDevices = 2_000;
/** Each has one message in flight: more of them measure the limit of the proxy, fewer how fast Kafka acknowledges. */
export const reporterDevices = Number(process.env.LANYARD_BENCH_DEVICES || 1_000);
export const paths = ['/3303/0/5700', '/3303/1/5700', '/3303/2/5700'];
/** More than is possible, because each device waits for the answer to its message. */
const asFastAsPossible = 100_000;

/** A server for devices, and the resources that it has used. */
export interface Target {
  url: string;
  usage(): Promise<{ atMs: number; cpuSeconds: number; kafkaCpuSeconds?: number }>;
  /** For DTLS: the credentials file of the simulator for this many devices with this name. */
  credentials?(name: string, devices: number): string;
  /** Share of the observations that must be there before values are measured; default: all. */
  observedMin?: number;
}

const nameAndCredentials = ({ credentials }: Target, name: string, devices: number): Record<string, string> =>
  credentials === undefined ? { 'name-prefix': name } : { 'credentials-file': credentials(name, devices) };

/** Measures the rate, and the server's CPU time for each update or value. */
const measure = async (target: Target, fleet: Simulator, what: 'updates' | 'values', seconds: number) => {
  const [usage, state] = [await target.usage(), await fleet.state()];
  await sleep(seconds * 1_000);
  const [usageAfter, stateAfter] = [await target.usage(), await fleet.state()];
  const count = stateAfter[what] - state[what];
  return {
    perSecond: (count / (stateAfter.atMs - state.atMs)) * 1_000,
    cpuUs: ((usageAfter.cpuSeconds - usage.cpuSeconds) / count) * 1e6,
    kafkaCpuUs: (((usageAfter.kafkaCpuSeconds ?? 0) - (usage.kafkaCpuSeconds ?? 0)) / count) * 1e6,
    cores: ((usageAfter.cpuSeconds - usage.cpuSeconds) / (usageAfter.atMs - usage.atMs)) * 1_000,
    lost: stateAfter.lost - state.lost,
  };
};

/** Measures registrations of new devices; over DTLS including their handshakes. */
export const registrations = async (target: Target, name: string) => {
  const usage = await target.usage();
  const fleet = await Simulator.start({
    devices: fleetDevices,
    server: target.url,
    ...nameAndCredentials(target, name, fleetDevices),
    // No rule applies to this type: work for devices that are gone would delay the other measurements.
    'device-type': 'registering',
    'registrations-per-second': asFastAsPossible,
    'lifetime-seconds': 86_400,
  });
  const startedAt = performance.now();
  const { atMs, lost } = await fleet.until(({ registered }) => registered === fleetDevices, 'registrations');
  const { cpuSeconds } = await target.usage();
  await fleet.stop();
  return {
    perSecond: (fleetDevices / (atMs - startedAt)) * 1_000,
    cpuUs: ((cpuSeconds - usage.cpuSeconds) / fleetDevices) * 1e6,
    lost,
  };
};

export const updates = async (target: Target, seconds: number, name = 'updates') => {
  const fleet = await Simulator.start({
    devices: reporterDevices,
    server: target.url,
    ...nameAndCredentials(target, name, reporterDevices),
    'device-type': 'updating',
    'registrations-per-second': 500,
    'update-seconds': 1,
  });
  // Some devices always wait: those that are registered keep the proxy fully busy.
  await fleet.until(({ registered }) => registered > 0.9 * reporterDevices, 'registrations');
  const found = await measure(target, fleet, 'updates', seconds);
  await fleet.stop();
  return found;
};

/** A rate that every server sustains: at the rates that each can reach, the faster one sends more values to Kafka at once. */
const evenPerSecond = 5_000;

/** During this time, V8 and the JVM of the broker compile. */
const warmUpMs = 10_000;
const settleMs = 2_000;

/** Measures values, once per round. */
export const values = async (target: Target, seconds: number, rounds: number) => {
  const fleet = await Reporters.report(target.url, reporterDevices, paths);
  const observedMin = (target.observedMin ?? 1) * reporterDevices * paths.length;
  await fleet.until(({ observations }) => observations >= observedMin, 'observations');
  await sleep(warmUpMs);
  const all: Awaited<ReturnType<typeof measure>>[] = [];
  for (let n = 0; n < rounds; n++) all.push(await measure(target, fleet, 'values', seconds));
  await fleet.limit(evenPerSecond);
  await sleep(settleMs);
  const even: Awaited<ReturnType<typeof measure>>[] = [];
  for (let n = 0; n < rounds; n++) even.push(await measure(target, fleet, 'values', seconds));
  await fleet.stop();
  const middle = (figure: 'perSecond' | 'cpuUs' | 'kafkaCpuUs' | 'cores') => median(all.map((found) => found[figure]));
  return {
    perSecond: middle('perSecond'),
    fastest: Math.max(...all.map(({ perSecond }) => perSecond)),
    cpuUs: middle('cpuUs'),
    evenCpuUs: median(even.map(({ cpuUs }) => cpuUs)),
    evenPerSecond: median(even.map(({ perSecond }) => perSecond)),
    kafkaCpuUs: middle('kafkaCpuUs'),
    cores: middle('cores'),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
  };
};
