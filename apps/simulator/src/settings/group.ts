import { type FirmwareSettings, readFirmware } from './firmware.js';
import { intervalSecondsMax, type SettingsReader } from './reader.js';
import { readServers, type ServerUrl } from './server-url.js';

/** How the measured values develop: they vary at random, rise and fall, change every minute, or stay constant. */
export const profiles = ['noise', 'wave', 'steps', 'constant'] as const;
export type Profile = (typeof profiles)[number];

const bootstrapModes = ['none', 'request', 'pack'] as const;
export type BootstrapMode = (typeof bootstrapModes)[number];

export const versions = ['1.0', '1.1', '1.2'] as const;
export type Version = (typeof versions)[number];

/** How often a message is retransmitted at most, and after how long. */
export interface RetransmissionSettings {
  ackTimeoutMs: number;
  retransmissions: number;
}

/** Devices that are alike. */
export interface GroupSettings extends RetransmissionSettings {
  name: string;
  devices: number;
  /** Each device starts with one server, and switches to the next one if it gets no answer. */
  servers: ServerUrl[];
  namePrefix: string;
  deviceType: string;
  version: Version;
  /** Temperature sensors of each device. */
  sensors: number;
  lifetimeSeconds: number;
  updateSeconds: number;
  /** The first update of each device comes at a random time within the interval. */
  spreadUpdates: boolean;
  valuesPerSecond: number;
  profile: Profile;
  confirmable: boolean;
  /** Values count up instead of being measured. */
  numberedValues: boolean;
  queueMode: boolean;
  awakeSeconds: number;
  /** Values of each observation that a sleeping device keeps, unless the server says how many. */
  keptValues: number;
  /** How many values each device sends without an observation, with their times, and how often; 0: none. */
  send: { values: number; everySeconds: number };
  /** End devices behind each device, which makes it an LwM2M gateway (object 25); 0: none. */
  devicesBehind: number;
  /** How often one of these devices leaves, or returns; 0: never. */
  devicesBehindSeconds: number;
  restartsPerMinute: number;
  rebind: { percent: number; everySeconds: number };
  /** Over DTLS the devices offer connection ids (RFC 9146). */
  connectionIds: boolean;
  backOff: { firstMs: number; maxMs: number };
  credentialsFile?: string;
  /** How the devices get the account of their server. If they bootstrap, `servers` and credentials are for bootstrap servers. */
  bootstrap: BootstrapMode;
  firmware: FirmwareSettings;
  /** The devices have object 9, software management. */
  software: boolean;
  /** Instances of object 9 from the factory; the server creates more. */
  softwareInstances: number;
}

/** Reads the settings of a group whose name is `name`. */
export const readGroup = (reader: SettingsReader, name?: string): GroupSettings => {
  const namePrefix = reader.text('name-prefix', name ?? 'sim');
  const lifetimeSeconds = reader.whole('lifetime-seconds', 300, { min: 2 });
  const credentialsFile = reader.optional('credentials-file');
  return {
    name: name ?? namePrefix,
    devices: reader.whole('devices', 100, { min: 1 }),
    servers: readServers(reader),
    namePrefix,
    deviceType: reader.text('device-type', 'simulated'),
    version: reader.choice('protocol-version', versions, '1.1'),
    sensors: reader.whole('sensors', 1, { min: 1 }),
    lifetimeSeconds,
    updateSeconds: reader.whole('update-seconds', Math.floor(lifetimeSeconds / 2), { min: 1 }),
    spreadUpdates: reader.flag('spread-updates'),
    valuesPerSecond: reader.whole('values-per-second', 10, { min: 0 }),
    profile: reader.choice('value-profile', profiles, 'noise'),
    confirmable: !reader.flag('non-confirmable'),
    numberedValues: reader.flag('numbered-values'),
    queueMode: reader.flag('queue-mode'),
    awakeSeconds: reader.whole('awake-seconds', 93, { min: 1 }),
    keptValues: reader.whole('kept-values', 10, { min: 1, max: 1_000 }),
    send: {
      values: reader.whole('send-values', 0, { min: 0, max: 100 }),
      everySeconds: reader.whole('send-seconds', 60, { min: 1 }),
    },
    devicesBehind: reader.whole('devices-behind', 0, { min: 0, max: 400 }),
    devicesBehindSeconds: reader.whole('devices-behind-seconds', 0, { min: 0 }),
    restartsPerMinute: reader.whole('restarts-per-minute', 0, { min: 0 }),
    rebind: {
      percent: reader.whole('rebind-percent', 0, { min: 0, max: 100 }),
      everySeconds: reader.whole('rebind-seconds', 60, { min: 1, max: intervalSecondsMax }),
    },
    connectionIds: !reader.flag('without-connection-ids'),
    ackTimeoutMs: reader.whole('ack-timeout-ms', 2_000, { min: 1 }),
    retransmissions: reader.whole('retransmissions', 4, { min: 0 }),
    backOff: {
      firstMs: reader.whole('back-off-ms', 2_000, { min: 1 }),
      maxMs: reader.whole('back-off-max-ms', 300_000, { min: 1 }),
    },
    bootstrap: reader.choice('bootstrap', bootstrapModes, 'none'),
    firmware: readFirmware(reader),
    software: reader.flag('software'),
    softwareInstances: reader.whole('software-instances', 1, { min: 0, max: 16 }),
    ...(credentialsFile !== undefined && { credentialsFile }),
  };
};
