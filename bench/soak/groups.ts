/** Devices of a soak: a group for each channel, with all bindings, in a few processes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { TestSystem } from '../../tools/testing/test-system.ts';
import type { Load } from './options.ts';

type Binding = 'udp' | 'queue' | 'dtls' | 'tls';

/** The bindings of each ten groups. */
const mixture: readonly Binding[] = ['udp', 'queue', 'udp', 'dtls', 'udp', 'queue', 'udp', 'tls', 'udp', 'udp'];

/** All devices come from one address. */
export const settingsForDevices = {
  DEVICE_PROXY_COAP_TLS_CONNECTIONS_PER_ADDRESS_MAX: '20000',
  DEVICE_PROXY_COAP_DTLS_CONNECTIONS_PER_ADDRESS_MAX: '100000',
};

/** Each device has a socket, and a process may often open 20,000 files. */
const devicesPerProcess = 15_000;
const processesMin = 4;
/** Registrations per second of all devices, with their observations and values: two cores manage no more without a queue. */
const arrivals = 250;

const updateSeconds = 3_600;
/** A sleeping device updates more often: only then does it wake, and send what it has kept. */
const sleepSeconds = 360;

export const bindingOf = (channel: number): Binding => mixture[channel % mixture.length] ?? 'udp';

/** The name of a group, which is also the prefix and the type of its devices. */
export const groupOf = (channel: number) => `soak-${channel}`;

/** The file with the credentials of the devices of a group. */
export const credentialsFile = (folder: string, channel: number) => join(folder, `${groupOf(channel)}.keys`);

export const deviceNames = (channel: number, { devices }: Load) =>
  Array.from({ length: devices }, (_, n) => `${groupOf(channel)}-${n}`);

const serversOf = (system: TestSystem, binding: Binding) =>
  ({ udp: system.coapUrls, queue: system.coapUrls, dtls: system.coapsUrls, tls: system.coapsTcpUrls })[binding];

export const isSecure = (binding: Binding) => binding === 'dtls' || binding === 'tls';

/** Writes a scenario of the simulator. */
const writeScenario = (
  system: TestSystem,
  folder: string,
  channels: readonly number[],
  { devices, valuesPerSecond }: Load,
  registrationsPerSecond: number,
) => {
  const groups = channels.map((channel) => {
    const [name, binding] = [groupOf(channel), bindingOf(channel)];
    const servers = serversOf(system, binding);
    // Divides the groups of each binding among the servers, as a load balancer would.
    const first = (channel + Math.floor(channel / mixture.length)) % servers.length;
    const server = [...servers.slice(first), ...servers.slice(0, first)].join();
    const sleeps = binding === 'queue';
    const seconds = sleeps ? sleepSeconds : updateSeconds;
    const group = {
      devices,
      server,
      'device-type': name,
      'values-per-second': valuesPerSecond,
      'update-seconds': seconds,
      'lifetime-seconds': 2 * seconds,
      ...(sleeps && { 'queue-mode': true }),
      ...(isSecure(binding) && { 'credentials-file': credentialsFile(folder, channel) }),
    };
    return [name, group] as const;
  });
  const defaults = {
    'numbered-values': true,
    'kept-values': 1_000,
    // Without this, devices that registered within a quarter of an hour would also wake within a quarter of an hour.
    'spread-updates': true,
    'back-off-max-ms': 10_000,
  };
  const file = join(folder, `${groupOf(channels[0] ?? 0)}.yaml`);
  const scenario = { 'registrations-per-second': registrationsPerSecond, defaults, groups: Object.fromEntries(groups) };
  writeFileSync(file, stringify(scenario));
  return file;
};

export class Devices {
  fleets: Simulator[] = [];

  async start(system: TestSystem, folder: string, load: Load) {
    const all = Array.from({ length: load.channels }, (_, channel) => channel);
    const processes = Math.max(processesMin, Math.ceil((load.channels * load.devices) / devicesPerProcess));
    for (let part = 0; part < processes; part++) {
      const channels = all.filter((n) => n % processes === part);
      if (channels.length === 0) continue;
      const scenario = writeScenario(system, folder, channels, load, Math.round(arrivals / processes));
      this.fleets.push(await Simulator.start({ scenario }));
    }
  }

  async state() {
    const states = await Promise.all(this.fleets.map((fleet) => fleet.state()));
    const total = (of: (state: (typeof states)[number]) => number) => states.reduce((sum, one) => sum + of(one), 0);
    return {
      registered: total(({ registered }) => registered),
      observations: total(({ observations }) => observations),
      values: total(({ values }) => values),
    };
  }

  /** Values by `device path`. */
  async values() {
    return Object.assign({}, ...(await Promise.all(this.fleets.map((fleet) => fleet.values())))) as Awaited<
      ReturnType<Simulator['values']>
    >;
  }

  /** Suspends the devices, which then send nothing more. */
  suspend() {
    for (const { child } of this.fleets) child.kill('SIGSTOP');
  }

  async stop() {
    await Promise.all(this.fleets.map((fleet) => fleet.stop()));
  }
}
