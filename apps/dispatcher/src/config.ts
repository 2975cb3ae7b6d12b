import { readFileSync } from 'node:fs';
import {
  certificateFiles,
  certificatesIn,
  ConfigError,
  encryptionKey,
  type EncryptionKeys,
  env,
  isNetwork,
  readTls,
  redisUrl,
  serviceConfig,
  type ServiceConfig,
  type TlsMaterial,
} from '@lanyard/service';
import { eventLifeMs } from './limits.js';

export const app = 'dispatcher';

export interface DispatcherConfig extends ServiceConfig {
  secrets: ServiceConfig['secrets'] & {
    redisUrl: string;
    /** Encrypts callback URLs, headers and signing secrets at rest. */
    encryptionKey: EncryptionKeys;
  };
  redisPrefix: string;
  /** Parts of the queue store. Fixed once the first channel exists. */
  queueShards: number;
  /** Memory for events that were appended recently. */
  recentBytesMax: number;
  /** Maximum age of an event that is read again after a loss of Redis. */
  replayMaxMs: number;
  callback: {
    /** Networks that callbacks may reach although they are private. */
    allowCidrs: string[];
    /** Additional certificate authorities (PEM) for callbacks, beside the public ones. */
    authorities: string[];
    /** The certificate that the service presents to a callback that asks for a certificate (spec §5 rule 10). */
    certificate: Pick<TlsMaterial, 'cert' | 'key'>;
    /** Requests under way at once in this replica. */
    concurrency: number;
  };
}

const checkCidrs = (cidrs: string[]): string[] => {
  const wrong = cidrs.find((cidr) => !cidr.includes('/') || !isNetwork(cidr));
  if (wrong !== undefined)
    throw new ConfigError('DISPATCHER_CALLBACK_ALLOW_CIDRS', `must contain networks like 10.1.0.0/16, not "${wrong}"`);
  return cidrs;
};

const caFile = 'DISPATCHER_CALLBACK_CA_FILE';

const readAuthorities = (path: string | undefined): string[] => {
  if (path === undefined) return [];
  try {
    return certificatesIn(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(caFile, `names ${path}, which cannot be read as certificates: ${(error as Error).message}`);
  }
};

export const readConfig = (source?: NodeJS.ProcessEnv): DispatcherConfig => {
  const reader = env(source);
  const service = serviceConfig(reader, app);
  return {
    ...service,
    secrets: { ...service.secrets, redisUrl: redisUrl(reader), encryptionKey: encryptionKey(reader) },
    redisPrefix: reader.string('DISPATCHER_REDIS_PREFIX', 'dispatcher:'),
    queueShards: reader.int('DISPATCHER_QUEUE_SHARDS', 4, { min: 1, max: 256 }),
    recentBytesMax: reader.int('DISPATCHER_RECENT_BYTES', 67_108_864, { min: 0 }),
    replayMaxMs: reader.int('DISPATCHER_REPLAY_MAX_MS', eventLifeMs, { min: 0, max: eventLifeMs }),
    callback: {
      allowCidrs: checkCidrs(reader.list('DISPATCHER_CALLBACK_ALLOW_CIDRS', [])),
      authorities: readAuthorities(reader.optional(caFile)),
      certificate: readTls(certificateFiles(reader, 'DISPATCHER_CALLBACK')),
      concurrency: reader.int('DISPATCHER_CALLBACK_CONCURRENCY', 256, { min: 1, max: 10_000 }),
    },
  };
};
