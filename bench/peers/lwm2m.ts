/** One device-proxy compared with a Leshan server that keeps everything in memory, with the same devices over plain UDP. */
import { sleep } from '../../tools/lanyard/project.ts';
import {
  fleetDevices,
  paths,
  registrations,
  reporterDevices,
  type Target,
  updates,
  values,
} from '../devices/fleets.ts';
import { announceDevices, reporterName } from '../devices/credentials.ts';
import { announcedMs, numbered } from '../devices/dtls.ts';
import { Inspected } from '../devices/inspected.ts';
import { startLeshan } from '../devices/leshan.ts';
import { registerAll, settledMs, untilAll, wanted } from '../devices/memory.ts';
import { Proxy, proxyOnly } from '../devices/proxy.ts';
import { cpuSeconds } from '../machine.ts';
import { lineOf, median, round } from '../statistics.ts';
import type { Bench } from '../benches.ts';
import type { BenchSystem } from '../system.ts';
import type { Simulator } from '../../tools/testing/simulator.ts';

interface Server extends Target {
  /** Heap size after garbage collection. */
  heapBytes(): Promise<number>;
  /** Whether devices of type `simulated` are observed. */
  observe(isObserved: boolean): Promise<unknown>;
}

type Say = (text: string) => void;
type Found = Record<string, number>;

/** The median of each figure. */
const middleOf = (rounds: Found[]): Found =>
  Object.fromEntries(Object.keys(rounds[0] ?? {}).map((name) => [name, median(rounds.map((one) => one[name] ?? NaN))]));

/** Rates, and the server's CPU time for each message. The server must be warm, because code is compiled while it runs. */
const messages = async (server: Server, fleet: string, seconds: number): Promise<Found> => {
  const registered = await registrations(server, `registers-${fleet}`);
  await server.observe(true);
  const reported = await values(server, seconds, 1);
  await server.observe(false);
  const updated = await updates(server, seconds, `updates-${fleet}`);
  return {
    registrations_per_second: registered.perSecond,
    registration_cpu_us: registered.cpuUs,
    values_per_second: reported.perSecond,
    value_cpu_us: reported.cpuUs,
    ...(reported.kafkaCpuUs > 0 && { value_kafka_cpu_us: reported.kafkaCpuUs }),
    updates_per_second: updated.perSecond,
    update_cpu_us: updated.cpuUs,
  };
};

/** Memory of a registered device, and of one with three observations. */
const memory = async (server: Server, say: Say): Promise<Found> => {
  const heap = async () => {
    await sleep(settledMs);
    return server.heapBytes();
  };
  const stop = (fleets: Simulator[]) => Promise.all(fleets.map((fleet) => fleet.stop()));
  const before = await heap();
  const silent = await registerAll(server.url, false, say, { type: 'unobserved' });
  const registered = await heap();
  await stop(silent);
  await server.observe(true);
  const reporting = await registerAll(server.url, false, say);
  await untilAll(reporting, 'observations', Math.floor(wanted * paths.length * (server.observedMin ?? 1)));
  const observed = await heap();
  await stop(reporting);
  return {
    device_bytes: (registered - before) / wanted,
    device_with_3_observations_bytes: (observed - registered) / wanted,
  };
};

/** Announces the devices to the directory, which a Leshan server does not have. */
const announce = async (system: BenchSystem, rounds: number) => {
  for (let n = 0; n <= rounds; n++) {
    await announceDevices(system, numbered(`registers-${n}`, fleetDevices), 'unobserved');
    await announceDevices(system, numbered(`updates-${n}`, reporterDevices), 'unobserved');
  }
  const reporters = Array.from({ length: reporterDevices }, (_, n) => reporterName(false, n));
  await announceDevices(system, reporters, 'simulated');
  await sleep(announcedMs);
};

export const lwm2m: Bench = {
  about: `registrations, updates, values and memory of ${fleetDevices}, ${reporterDevices} and ${wanted} devices, beside a Leshan server in memory (needs Maven)`,
  replicas: proxyOnly,
  async run({ system, seconds, rounds, say }) {
    const leshan = await startLeshan(paths).catch((error: unknown) => {
      say(`left out: no Leshan server: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (!leshan) return {};
    const proxy = await new Proxy(system).begin();
    await announce(system, rounds);
    const inspected = await Inspected.open(system);
    const kafka = system.unit('kafka').unit.pid;
    const servers: Record<string, Server> = {
      ours: {
        url: system.coapUrl,
        usage: async () => ({ ...(await proxy.usage()), kafkaCpuSeconds: cpuSeconds(kafka) }),
        heapBytes: async () => (await inspected.bytes()).used,
        observe: (isObserved) => proxy.presubscribe(isObserved ? paths : []),
      },
      leshan: { ...leshan.coap, heapBytes: leshan.heapBytes, observe: () => Promise.resolve() },
    };
    const found: Record<string, Found[]> = {};
    for (let n = 0; n <= rounds; n++)
      for (const [name, server] of Object.entries(servers)) {
        const one = await messages(server, String(n), seconds);
        say(`${n === 0 ? 'warm-up' : `round ${n} of ${rounds}`}, ${name}: ${lineOf(one)}`);
        if (n > 0) (found[name] ??= []).push(one);
      }
    const figures: Record<string, number> = {};
    for (const [name, server] of Object.entries(servers)) {
      const all = { ...middleOf(found[name] ?? []), ...(await memory(server, say)) };
      for (const [figure, value] of Object.entries(all)) figures[`${name}_${figure}`] = round(value);
      if (name !== 'leshan') continue;
      for (const figure of Object.keys(all))
        figures[`${figure}_leshan_ratio`] = round(
          (figures[`ours_${figure}`] ?? NaN) / (figures[`leshan_${figure}`] ?? NaN),
        );
    }
    leshan.stop();
    return figures;
  },
};
