import { lookup } from 'node:dns/promises';
import { systemCoapClock, TimerWheel } from '@lanyard/coap';
import { ConfigError } from '@lanyard/service';
import { type ServerUrl, type SimulatorConfig } from './config.js';
import { Catalogue } from './device/catalogue.js';
import { TooFewOpenFiles } from './errors.js';
import { Executions } from './counts/executions.js';
import { Fleet } from './fleet/fleet.js';
import { NumberedValues } from './counts/numbered-values.js';
import { seededRandom } from './fleet/random.js';
import { Tally } from './counts/tally.js';
import { Watches } from './device/watches.js';
import { type World } from './device/world.js';
import { HttpServer } from './telemetry/http-server.js';
import { fleetMetrics } from './telemetry/metrics.js';
import { Terminal } from './telemetry/terminal.js';
import { type Credential, readCredentials } from './transport/credentials.js';
import { type TransportOf } from './transport/device-transport.js';
import { StreamPool, StreamTransport } from './transport/stream-transport.js';
import { UdpTransport } from './transport/udp-transport.js';

export interface RunningSimulator {
  /** Base URL of `/metrics` and `/executions`. */
  url: string;
  tally: Tally;
  watches: Watches;
  executions: Executions;
  /** Deregisters every device. */
  stop(): Promise<void>;
}

/** Files that every Node process has open. */
const ownFiles = 50;

const checkOpenFiles = (devices: number): void => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const openFiles = Number(userLimits?.open_files?.soft ?? NaN);
  if (devices + ownFiles > openFiles) throw new TooFewOpenFiles(devices, openFiles);
};

const resolved = async ({ host, port }: ServerUrl): Promise<World['servers'][number]> => ({
  address: (await lookup(host)).address,
  port,
});

const credentialsFor = ({ servers, credentialsFile }: SimulatorConfig): Credential[] => {
  if (servers[0]?.scheme !== 'coaps+tcp') return [];
  if (credentialsFile === undefined)
    throw new ConfigError('SIMULATOR_CREDENTIALS_FILE', 'is not set: devices need keys for coaps+tcp');
  return readCredentials(credentialsFile);
};

const transports = (
  config: SimulatorConfig,
  credentials: Credential[],
  shared: Pick<World, 'timers' | 'random'>,
): TransportOf => {
  if (config.servers[0]?.scheme === 'coap')
    return (device, events) => new UdpTransport(device, events, shared.timers, shared.random);
  const pool = new StreamPool();
  return (device, events) => new StreamTransport(pool, events, credentials[device]);
};

/** Endpoint names: those of the credentials, or the prefix with a number. */
const namesOf = ({ devices, namePrefix }: SimulatorConfig, credentials: Credential[]): string[] =>
  credentials.length > 0
    ? credentials.slice(0, devices).map(({ name }) => name)
    : Array.from({ length: devices }, (_, number) => `${namePrefix}-${number}`);

const toTerminal = (line: string): void => void process.stdout.write(line);

export const start = async (config: SimulatorConfig, write = toTerminal): Promise<RunningSimulator> => {
  checkOpenFiles(config.devices);
  const credentials = credentialsFor(config);
  const shared = { timers: new TimerWheel(systemCoapClock), random: seededRandom(config.seed) };
  const world: World = {
    ...shared,
    config,
    servers: await Promise.all(config.servers.map(resolved)),
    tally: new Tally(),
    watches: new Watches(),
    executions: new Executions(),
    numbered: config.numberedValues ? new NumberedValues() : undefined,
    catalogue: new Catalogue(config.sensors),
    transportOf: transports(config, credentials, shared),
  };
  const names = namesOf(config, credentials);
  const fleet = new Fleet(world, names);
  const http = new HttpServer(fleetMetrics(world), world);
  const terminal = new Terminal(world.tally, world.watches, names.length, config, write);
  const url = await http.listen(config.http.host, config.http.port);
  terminal.start(config.reportSeconds, url);
  fleet.start();
  const { tally, watches, executions } = world;
  return {
    url,
    tally,
    watches,
    executions,
    stop: async () => {
      await fleet.stop();
      terminal.stop();
      await http.close();
    },
  };
};
