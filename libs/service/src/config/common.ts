import type { KeyObject } from 'node:crypto';
import { databaseUrl } from './database-url.js';
import { ConfigError, type EnvReader } from './env.js';
import { identityPublicKeys } from './identity-keys.js';
import { type KafkaSecurity, kafkaSecurity } from './kafka-security.js';
import { type EncryptionKeys, encryptionKeyId } from '../keys/sealed.js';

/** Default of START_TIMEOUT_MS: time limit of a start, without migrations. */
export const defaultStartTimeoutMs = 300_000;

const startTimeoutMinMs = 5_000;

/** Default of STOP_TIMEOUT_MS: time limit of a stop. */
export const defaultStopTimeoutMs = 15_000;

/** The time that other limits reserve for one step of a stop: STOP_TIMEOUT_MS is at least five times as long. */
export const stopStepMinMs = 2_000;

/** What every app needs to run. Secrets are in their own group so that they are not logged with the rest. */
export interface CommonConfig {
  app: string;
  /** Unique among the replicas of an app, stable over restarts. */
  replicaId: string;
  http: { host: string; port: number };
  /** `security` contains secrets, which are omitted when it is printed. */
  kafka: {
    brokers: string[];
    topicPrefix: string;
    minInsyncReplicas?: number;
    security?: KafkaSecurity;
    replacements?: string;
  };
  logLevel: string;
  /** Where traces are sent, and the sampled share (0 to 1) of those that begin here. Absent: tracing is off. */
  tracing?: { endpoint: string; sampleRatio: number };
  /** How long a start may take as a whole, migrations apart. */
  startTimeoutMs?: number;
  /** How long a stop may take as a whole. */
  stopTimeoutMs?: number;
  /**
   * `run`, the default: the service runs its migrations when it starts. `wait`: `node main.js migrate` runs them, and
   * the start waits until it has.
   */
  databaseMigrations?: 'run' | 'wait';
  secrets: {
    /** With the parameters of TLS; what `pg` takes as a connection string. */
    databaseUrl: string;
    /** Keys that verify the gateway's tokens. The gateway has none: it verifies API keys. */
    identityKeys?: KeyObject[];
  };
}

/** What a service behind the gateway needs, beside what its app adds. */
export interface ServiceConfig extends CommonConfig {
  secrets: CommonConfig['secrets'] & { identityKeys: KeyObject[] };
}

const encryptionKeyBytes = 32;

/**
 * The keys for secrets at rest, from ENCRYPTION_KEY: the first one encrypts, and all of them decrypt. Throws
 * ConfigError.
 */
export const encryptionKey = (reader: EnvReader): EncryptionKeys => {
  const keys = reader.list('ENCRYPTION_KEY').map((text) => Buffer.from(text, 'base64'));
  if (keys.length === 0 || keys.some(({ length }) => length !== encryptionKeyBytes))
    throw new ConfigError('ENCRYPTION_KEY', 'must be 32 bytes in base64 (openssl rand -base64 32), or several of them');
  if (new Set(keys.map(encryptionKeyId)).size !== keys.length)
    throw new ConfigError('ENCRYPTION_KEY', 'contains the same key twice: remove one of the two');
  return keys;
};

/** The levels of pino, the logger. */
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** A step of a stop may take half of the time that is left: of the shortest time, the fourth step may take 0.6 s. */
const stopTimeoutMs = (reader: EnvReader): number =>
  reader.int('STOP_TIMEOUT_MS', defaultStopTimeoutMs, { min: 5 * stopStepMinMs, max: 600_000 });

const tracing = (reader: EnvReader): CommonConfig['tracing'] => {
  const endpoint = reader.optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  const sampleRatio = Number(reader.string('OTEL_TRACES_SAMPLER_ARG', '0.01'));
  if (!(sampleRatio >= 0 && sampleRatio <= 1))
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  if (endpoint === undefined) return undefined;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT', `must be an http(s) URL, not "${endpoint}"`);
  return { endpoint, sampleRatio };
};

const ifTraced = (settings: CommonConfig['tracing']): Pick<CommonConfig, 'tracing'> =>
  settings ? { tracing: settings } : {};

/** kafkajs takes what follows the first colon as the port: it has no notation for IPv6 addresses. */
const broker = /^[^\s:/@[\]]+:(\d{1,5})$/;

const isPort = (text: string | undefined): boolean => Number(text) >= 1 && Number(text) <= 65_535;

const brokers = (reader: EnvReader): string[] => {
  const entries = reader.list('KAFKA_BROKERS');
  const wrong = entries.find((entry) => !isPort(broker.exec(entry)?.[1]));
  if (entries.length === 0 || wrong !== undefined)
    throw new ConfigError('KAFKA_BROKERS', `must be host:port, or several of them with commas, not "${wrong ?? ','}"`);
  return entries;
};

/** Kafka's characters for names of topics. */
const topicPrefix = (reader: EnvReader): string => {
  const text = reader.string('KAFKA_TOPIC_PREFIX', '');
  if (!/^[\w.-]*$/.test(text))
    throw new ConfigError('KAFKA_TOPIC_PREFIX', `may contain only letters, digits and . _ -, not "${text}"`);
  return text;
};

/** Prefix and durability of topics, for every program that opens them. */
export const topicConfig = (reader: EnvReader): Pick<CommonConfig['kafka'], 'topicPrefix' | 'minInsyncReplicas'> => ({
  topicPrefix: topicPrefix(reader),
  minInsyncReplicas: reader.int('KAFKA_MIN_INSYNC_REPLICAS', 2, { min: 1, max: 9 }),
});

export type DatabaseConfig = Pick<CommonConfig, 'app' | 'replicaId' | 'logLevel' | 'databaseMigrations'> & {
  secrets: Pick<CommonConfig['secrets'], 'databaseUrl'>;
};

/** For a process that touches nothing but the database. */
export const databaseConfig = (reader: EnvReader, app: string): DatabaseConfig => ({
  app,
  replicaId: reader.string('REPLICA_ID', `${app}-0`),
  logLevel: reader.choice('LOG_LEVEL', logLevels, 'info'),
  secrets: { databaseUrl: databaseUrl(reader) },
});

export const commonConfig = (reader: EnvReader, app: string): CommonConfig => ({
  ...ifTraced(tracing(reader)),
  app,
  replicaId: reader.string('REPLICA_ID', `${app}-0`),
  http: { host: reader.string('HTTP_HOST', '127.0.0.1'), port: reader.int('HTTP_PORT', 0, { min: 0, max: 65_535 }) },
  kafka: {
    brokers: brokers(reader),
    ...topicConfig(reader),
    security: kafkaSecurity(reader),
    replacements: reader.string('KAFKAJS_REPLACEMENTS', 'all'),
  },
  logLevel: reader.choice('LOG_LEVEL', logLevels, 'info'),
  databaseMigrations: reader.choice<'run' | 'wait'>('DATABASE_MIGRATIONS', ['run', 'wait'], 'run'),
  startTimeoutMs: reader.int('START_TIMEOUT_MS', defaultStartTimeoutMs, { min: startTimeoutMinMs, max: 3_600_000 }),
  stopTimeoutMs: stopTimeoutMs(reader),
  secrets: { databaseUrl: databaseUrl(reader) },
});

export const serviceConfig = (reader: EnvReader, app: string): ServiceConfig => {
  const common = commonConfig(reader, app);
  return { ...common, secrets: { ...common.secrets, identityKeys: identityPublicKeys(reader) } };
};
