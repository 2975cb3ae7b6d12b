/** What one device-proxy does in a second, and what a message costs it, beside a bare datagram echo. */
import { median, round } from '../statistics.ts';
import { measureBare } from './bare.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { Proxy, proxyOnly, Reporters } from './proxy.ts';
import type { Bench } from '../benches.ts';

const devices = 2_000;
/** Each has one message under way: more of them find out what the proxy can, fewer how fast Kafka acknowledges. */
const reporters = Number(process.env.LANYARD_BENCH_DEVICES || 1_000);
const paths = ['/3303/0/5700', '/3303/1/5700', '/3303/2/5700'];
/** More than can be had: devices have one message under way and wait for its answer. */
const asFastAsPossible = 100_000;

/** What happens in a while, and the proxy's CPU for each. */
const measure = async (proxy: Proxy, fleet: Simulator, what: 'updates' | 'values', seconds: number) => {
  const [usage, state] = [await proxy.usage(), await fleet.state()];
  await sleep(seconds * 1_000);
  const [usageAfter, stateAfter] = [await proxy.usage(), await fleet.state()];
  const count = stateAfter[what] - state[what];
  return {
    perSecond: (count / (stateAfter.atMs - state.atMs)) * 1_000,
    cpuUs: ((usageAfter.cpuSeconds - usage.cpuSeconds) / count) * 1e6,
    cores: ((usageAfter.cpuSeconds - usage.cpuSeconds) / (usageAfter.atMs - usage.atMs)) * 1_000,
    lost: stateAfter.lost - state.lost,
  };
};

const registrations = async (proxy: Proxy, server: string, name: string) => {
  const usage = await proxy.usage();
  const fleet = await Simulator.start({
    devices,
    server,
    'name-prefix': name,
    // No rule is for them: what is left to do for devices that are gone would hold up the others.
    'device-type': 'registering',
    'registrations-per-second': asFastAsPossible,
    'lifetime-seconds': 86_400,
  });
  const startedAt = performance.now();
  const { atMs, lost } = await fleet.until(({ registered }) => registered === devices, 'registrations');
  const { cpuSeconds } = await proxy.usage();
  await fleet.stop();
  return {
    perSecond: (devices / (atMs - startedAt)) * 1_000,
    cpuUs: ((cpuSeconds - usage.cpuSeconds) / devices) * 1e6,
    lost,
  };
};

const updates = async (proxy: Proxy, server: string, seconds: number) => {
  const fleet = await Simulator.start({
    devices: reporters,
    server,
    'name-prefix': 'updates',
    'device-type': 'updating',
    'registrations-per-second': 500,
    'update-seconds': 1,
  });
  // Some always wait: those that are there take the whole of the proxy.
  await fleet.until(({ registered }) => registered > 0.9 * reporters, 'registrations');
  const found = await measure(proxy, fleet, 'updates', seconds);
  await fleet.stop();
  return found;
};

/** Until then V8 and the broker's Java compile. */
const warmUpMs = 10_000;

/** As often as there are rounds. */
const values = async (proxy: Proxy, server: string, seconds: number, rounds: number) => {
  const fleet = await Reporters.report(server, reporters, paths);
  await fleet.until(({ observations }) => observations === reporters * paths.length, 'observations');
  await sleep(warmUpMs);
  const all: Awaited<ReturnType<typeof measure>>[] = [];
  for (let n = 0; n < rounds; n++) all.push(await measure(proxy, fleet, 'values', seconds));
  await fleet.stop();
  const middle = (figure: 'perSecond' | 'cpuUs' | 'cores') => median(all.map((found) => found[figure]));
  return {
    perSecond: middle('perSecond'),
    fastest: Math.max(...all.map(({ perSecond }) => perSecond)),
    cpuUs: middle('cpuUs'),
    cores: middle('cores'),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
  };
};

export const messages: Bench = {
  about: `registrations, updates and values of ${devices} devices, and CPU for each, beside a datagram echo`,
  replicas: proxyOnly,
  async run({ system, seconds, rounds, say }) {
    const proxy = await new Proxy(system).begin();
    const bare: { echo: number[]; coap: number[]; echoRate: number[]; coapRate: number[] } = {
      echo: [],
      coap: [],
      echoRate: [],
      coapRate: [],
    };
    for (let n = 0; n < rounds; n++) {
      const echo = await measureBare('echo', Math.min(seconds, 5));
      const coap = await measureBare('coap', Math.min(seconds, 5));
      say(`round ${n + 1} of ${rounds}: echo ${echo.cpuUs.toFixed(1)} µs, coap ${coap.cpuUs.toFixed(1)} µs a message`);
      bare.echo.push(echo.cpuUs);
      bare.coap.push(coap.cpuUs);
      bare.echoRate.push(echo.perSecond);
      bare.coapRate.push(coap.perSecond);
    }
    const echoUs = median(bare.echo);
    // The first ones meet a process that has never done this: a good part of what they cost is its compiler.
    const first = await registrations(proxy, system.coapUrl, 'first');
    say(`${first.perSecond.toFixed(0)} registrations/s, ${first.cpuUs.toFixed(0)} µs each, in a new process`);
    const registered = await registrations(proxy, system.coapUrl, 'registers');
    say(`${registered.perSecond.toFixed(0)} registrations/s, ${registered.cpuUs.toFixed(0)} µs each`);
    await proxy.presubscribe(paths);
    const reported = await values(proxy, system.coapUrl, seconds, rounds);
    say(`${reported.perSecond.toFixed(0)} values/s, ${reported.cpuUs.toFixed(0)} µs each`);
    await proxy.presubscribe([]);
    const updated = await updates(proxy, system.coapUrl, seconds);
    say(`${updated.perSecond.toFixed(0)} updates/s, ${updated.cpuUs.toFixed(0)} µs each`);
    return {
      echo_per_second: round(median(bare.echoRate)),
      echo_cpu_us: round(echoUs),
      coap_per_second: round(median(bare.coapRate)),
      coap_cpu_us: round(median(bare.coap)),
      coap_cpu_ratio: round(median(bare.coap) / echoUs),
      first_registration_cpu_us: round(first.cpuUs),
      registrations_per_second: round(registered.perSecond),
      registration_cpu_us: round(registered.cpuUs),
      registration_cpu_ratio: round(registered.cpuUs / echoUs),
      registrations_repeated: first.lost + registered.lost,
      updates_per_second: round(updated.perSecond),
      update_cpu_us: round(updated.cpuUs),
      update_cpu_ratio: round(updated.cpuUs / echoUs),
      values_per_second: round(reported.perSecond),
      values_fastest_round_per_second: round(reported.fastest),
      value_cpu_us: round(reported.cpuUs),
      value_cpu_ratio: round(reported.cpuUs / echoUs),
      values_proxy_cores: round(reported.cores),
      values_devices: reporters,
      // Little's law: all of them wait all the time.
      value_acknowledged_ms: round((reporters / reported.perSecond) * 1_000),
      values_lost: reported.lost,
    };
  },
};
