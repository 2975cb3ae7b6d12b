import { ConfigError, env, type EnvReader } from '@lanyard/service';
import { variablesOf } from './command-line.js';

export interface ServerUrl {
  scheme: 'coap' | 'coap+tcp' | 'coaps+tcp';
  host: string;
  port: number;
}

export interface SimulatorConfig {
  devices: number;
  /** Each device starts with one server, and switches to the next one if it gets no answer. */
  servers: ServerUrl[];
  namePrefix: string;
  deviceType: string;
  /** Temperature sensors of each device. */
  sensors: number;
  registrationsPerSecond: number;
  lifetimeSeconds: number;
  updateSeconds: number;
  valuesPerSecond: number;
  confirmable: boolean;
  /** Values count up instead of being measured. */
  numberedValues: boolean;
  queueMode: boolean;
  awakeSeconds: number;
  restartsPerMinute: number;
  ackTimeoutMs: number;
  retransmissions: number;
  backOff: { firstMs: number; maxMs: number };
  credentialsFile?: string;
  seed: number;
  reportSeconds: number;
  http: { host: string; port: number };
}

const ports = { coap: 5683, 'coap+tcp': 5683, 'coaps+tcp': 5684 } as const;

const serverUrl = (text: string): ServerUrl => {
  const [, scheme, host, port] =
    /^(coap|coap\+tcp|coaps\+tcp):\/\/(\[[^\]]+\]|[^:/[\]]+)(?::(\d+))?\/?$/.exec(text) ?? [];
  if (!scheme || !host) throw new ConfigError('SIMULATOR_SERVER', `must be coap://host:port, not "${text}"`);
  const known = scheme as ServerUrl['scheme'];
  return { scheme: known, host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? ports[known]) };
};

const servers = (reader: EnvReader): ServerUrl[] => {
  const urls = reader.list('SIMULATOR_SERVER', ['coap://127.0.0.1:5683']).map(serverUrl);
  if (new Set(urls.map(({ scheme }) => scheme)).size !== 1)
    throw new ConfigError('SIMULATOR_SERVER', 'must name one or more servers of one kind');
  return urls;
};

/** From the environment; the command line wins. */
export const readConfig = (
  source: NodeJS.ProcessEnv = { ...process.env, ...variablesOf(process.argv.slice(2)) },
): SimulatorConfig => {
  const reader = env(source);
  const whole = (name: string, fallback: number, min = 1): number => reader.int(`SIMULATOR_${name}`, fallback, { min });
  const lifetimeSeconds = whole('LIFETIME_SECONDS', 300, 2);
  const credentialsFile = reader.optional('SIMULATOR_CREDENTIALS_FILE');
  return {
    devices: whole('DEVICES', 100),
    servers: servers(reader),
    namePrefix: reader.string('SIMULATOR_NAME_PREFIX', 'sim'),
    deviceType: reader.string('SIMULATOR_DEVICE_TYPE', 'simulated'),
    sensors: whole('SENSORS', 1),
    registrationsPerSecond: whole('REGISTRATIONS_PER_SECOND', 100),
    lifetimeSeconds,
    updateSeconds: whole('UPDATE_SECONDS', Math.floor(lifetimeSeconds / 2)),
    valuesPerSecond: whole('VALUES_PER_SECOND', 10, 0),
    confirmable: !reader.bool('SIMULATOR_NON_CONFIRMABLE', false),
    numberedValues: reader.bool('SIMULATOR_NUMBERED_VALUES', false),
    queueMode: reader.bool('SIMULATOR_QUEUE_MODE', false),
    awakeSeconds: whole('AWAKE_SECONDS', 93),
    restartsPerMinute: whole('RESTARTS_PER_MINUTE', 0, 0),
    ackTimeoutMs: whole('ACK_TIMEOUT_MS', 2_000),
    retransmissions: whole('RETRANSMISSIONS', 4, 0),
    backOff: { firstMs: whole('BACK_OFF_MS', 2_000), maxMs: whole('BACK_OFF_MAX_MS', 300_000) },
    ...(credentialsFile !== undefined && { credentialsFile }),
    seed: whole('SEED', 1, 0),
    reportSeconds: whole('REPORT_SECONDS', 5),
    http: { host: reader.string('HTTP_HOST', '127.0.0.1'), port: reader.int('HTTP_PORT', 0, { min: 0, max: 65_535 }) },
  };
};
