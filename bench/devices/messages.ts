/** The messages that one device-proxy handles in a second, and their cost, compared with a bare datagram echo and a bare registrar. */
import { median, round } from '../statistics.ts';
import { measureBare, startRegistrar } from './bare.ts';
import { fleetDevices, paths, registrations, reporterDevices, updates, values } from './fleets.ts';
import { Proxy, proxyOnly } from './proxy.ts';
import type { Bench } from '../benches.ts';

export const messages: Bench = {
  about: `registrations, updates and values of ${fleetDevices} devices, and CPU for each, beside a datagram echo, and a program that only stores registrations`,
  replicas: proxyOnly,
  async run({ system, seconds, rounds, say }) {
    const proxy = await new Proxy(system).begin();
    const target = { url: system.coapUrl, usage: () => proxy.usage() };
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
    // The process has not done this before: a good part of the cost of the first registrations is compilation.
    const first = await registrations(target, 'first');
    say(`${first.perSecond.toFixed(0)} registrations/s, ${first.cpuUs.toFixed(0)} µs each, in a new process`);
    const registered = await registrations(target, 'registers');
    say(`${registered.perSecond.toFixed(0)} registrations/s, ${registered.cpuUs.toFixed(0)} µs each`);
    await proxy.presubscribe(paths);
    const reported = await values(target, seconds, rounds);
    say(`${reported.perSecond.toFixed(0)} values/s, ${reported.cpuUs.toFixed(0)} µs each`);
    await proxy.presubscribe([]);
    const updated = await updates(target, seconds);
    say(`${updated.perSecond.toFixed(0)} updates/s, ${updated.cpuUs.toFixed(0)} µs each`);
    const registrar = await startRegistrar(system);
    await registrations(registrar, 'bare-first');
    const floor = { registered: await registrations(registrar, 'bare'), updated: await updates(registrar, seconds) };
    say(
      `registrar: ${floor.registered.cpuUs.toFixed(0)} µs a registration, ${floor.updated.cpuUs.toFixed(0)} µs an update`,
    );
    registrar.stop();
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
      registration_cpu_floor_us: round(floor.registered.cpuUs),
      registration_cpu_floor_ratio: round(registered.cpuUs / floor.registered.cpuUs),
      registrations_repeated: first.lost + registered.lost,
      updates_per_second: round(updated.perSecond),
      update_cpu_us: round(updated.cpuUs),
      update_cpu_ratio: round(updated.cpuUs / echoUs),
      update_cpu_floor_us: round(floor.updated.cpuUs),
      update_cpu_floor_ratio: round(updated.cpuUs / floor.updated.cpuUs),
      values_per_second: round(reported.perSecond),
      values_fastest_round_per_second: round(reported.fastest),
      value_cpu_us: round(reported.cpuUs),
      value_cpu_ratio: round(reported.cpuUs / echoUs),
      values_proxy_cores: round(reported.cores),
      values_devices: reporterDevices,
      // Little's law, because all devices wait all the time.
      value_acknowledged_ms: round((reporterDevices / reported.perSecond) * 1_000),
      values_lost: reported.lost,
    };
  },
};
