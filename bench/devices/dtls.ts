/**
 * Registrations, updates and values of the same devices over plain UDP and over DTLS through one device-proxy, and through a
 * Leshan server that keeps everything in memory.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../tools/lanyard/project.ts';
import { cpuSeconds } from '../machine.ts';
import { median, round } from '../statistics.ts';
import { announceDevices, reporterName, securePrefix, writeCredentials } from './credentials.ts';
import { fleetDevices, paths, registrations, reporterDevices, type Target, updates, values } from './fleets.ts';
import { startLeshan } from './leshan.ts';
import { Proxy, proxyOnly } from './proxy.ts';
import type { BenchSystem } from '../system.ts';
import type { Bench } from '../benches.ts';

export const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

/** Time for the proxy to read the announced devices. */
export const announcedMs = 5_000;

const announce = async (system: BenchSystem) => {
  for (const isSecure of [false, true]) {
    const prefix = isSecure ? securePrefix : '';
    const fleets = ['first', 'registers'].flatMap((name) => numbered(prefix + name, fleetDevices));
    await announceDevices(system, [...fleets, ...numbered(`${prefix}updates`, reporterDevices)], 'unobserved');
    const reporters = Array.from({ length: reporterDevices }, (_, n) => reporterName(isSecure, n));
    await announceDevices(system, reporters, 'simulated');
  }
  await sleep(announcedMs);
};

type Found = Record<
  'registration' | 'update' | 'value' | 'even' | 'evenPerSecond' | 'kafka' | 'valuesPerSecond',
  number
>;

type Values = Awaited<ReturnType<typeof values>>;

const measureAll = async (
  targets: Record<string, Target>,
  observe: (paths: string[]) => Promise<void>,
  { seconds, rounds, say }: { seconds: number; rounds: number; say: (text: string) => void },
) => {
  const registered: Record<string, number> = {};
  for (const [name, target] of Object.entries(targets)) {
    await registrations(target, 'first');
    registered[name] = (await registrations(target, 'registers')).cpuUs;
  }
  await observe(paths);
  const all: Record<string, Values[]> = {};
  // Alternating, because a process behaves differently after a minute.
  for (let n = 0; n < 2; n++)
    for (const [name, target] of Object.entries(targets))
      (all[name] ??= []).push(await values(target, seconds, Math.ceil(rounds / 2)));
  await observe([]);
  const found: Record<string, Found> = {};
  for (const [name, target] of Object.entries(targets)) {
    const middle = (figure: keyof Values) => median(all[name]!.map((one) => one[figure]));
    const [registration, even] = [registered[name]!, middle('evenCpuUs')];
    const { cpuUs: update } = await updates(target, seconds);
    found[name] = {
      ...{ registration, update, value: middle('cpuUs'), even, evenPerSecond: middle('evenPerSecond') },
      ...{ kafka: middle('kafkaCpuUs'), valuesPerSecond: middle('perSecond') },
    };
    const each = all[name]!.map(({ cpuUs }) => cpuUs.toFixed(1)).join(', ');
    say(
      `${name}: value ${each} µs, at an even rate ${even.toFixed(1)} µs, registration ${registration.toFixed(0)} µs, update ${update.toFixed(0)} µs`,
    );
  }
  return found;
};

export const dtls: Bench = {
  about: `registrations, updates and values over DTLS beside plain UDP, and beside a Leshan server in memory (needs Maven)`,
  replicas: proxyOnly,
  env: {
    // All devices are on one machine.
    DEVICE_PROXY_COAP_DTLS_HANDSHAKES_PER_ADDRESS_PER_SECOND: '100000',
  },
  async run({ system, seconds, rounds, say }) {
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-devices-'));
    const credentials = (name: string, devices: number) =>
      writeCredentials(join(folder, name), numbered(securePrefix + name, devices));
    const proxy = await new Proxy(system).begin();
    await announce(system);
    const kafka = system.unit('kafka').unit.pid;
    const usage = async () => ({ ...(await proxy.usage()), kafkaCpuSeconds: cpuSeconds(kafka) });
    const own = await measureAll(
      { udp: { url: system.coapUrl, usage }, dtls: { url: system.coapsUrls[0] ?? '', usage, credentials } },
      (observed) => proxy.presubscribe(observed),
      { seconds, rounds, say },
    );
    const leshan = await startLeshan(paths).catch((error: unknown) => {
      say(`no Leshan server: ${error instanceof Error ? error.message : String(error)}`);
    });
    const others = leshan
      ? await measureAll(
          { leshan_udp: leshan.coap, leshan_dtls: { ...leshan.coaps, credentials } },
          () => Promise.resolve(),
          { seconds, rounds, say },
        )
      : {};
    leshan?.stop();
    rmSync(folder, { recursive: true, force: true });
    return figuresOf({ ...own, ...others });
  },
};

const figuresOf = (found: Record<string, Found>) => {
  const figures: Record<string, number> = {};
  for (const [name, one] of Object.entries(found)) {
    const { registration, update, value, even, evenPerSecond, kafka, valuesPerSecond } = one;
    figures[`${name}_registration_cpu_us`] = round(registration);
    figures[`${name}_update_cpu_us`] = round(update);
    figures[`${name}_value_cpu_us`] = round(value);
    figures[`${name}_even_value_cpu_us`] = round(even);
    figures[`${name}_even_values_per_second`] = round(evenPerSecond);
    if (kafka > 0) figures[`${name}_value_kafka_cpu_us`] = round(kafka);
    figures[`${name}_values_per_second`] = round(valuesPerSecond);
    figures[`${name}_values_per_core_second`] = round(1e6 / value);
  }
  const { udp, dtls: secure, leshan_udp: leshan, leshan_dtls: leshanSecure } = found;
  for (const what of ['registration', 'update', 'value', 'even'] as const) {
    if (udp && secure) figures[`dtls_${what}_udp_ratio`] = round(secure[what] / udp[what]);
    if (udp && leshan) figures[`udp_${what}_leshan_ratio`] = round(udp[what] / leshan[what]);
    if (secure && leshanSecure) figures[`dtls_${what}_leshan_ratio`] = round(secure[what] / leshanSecure[what]);
  }
  return figures;
};
