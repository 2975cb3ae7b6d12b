import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import {
  ConfigError,
  encryptionKey,
  type EncryptionKeys,
  env,
  redisUrl,
  serviceConfig,
  type ServiceConfig,
} from '@lanyard/service';
import { eventLifeMs } from './limits.js';

export const app = 'dispatcher';

export interface DispatcherConfig extends ServiceConfig {
  secrets: ServiceConfig['secrets'] & {
    redisUrl: string;
    /** Of callback URLs, headers and signing secrets at rest. */
    encryptionKey: EncryptionKeys;
  };
  redisPrefix: string;
  /** Parts of the queue store. Fixed once the first channel exists. */
  queueShards: number;
  /** Memory for events that were appended lately. */
  recentBytesMax: number;
  /** How old an event may be that is read again after a loss of Redis. */
  replayMaxMs: number;
  callback: {
    /** Networks that callbacks may reach although they are private. */
    allowCidrs: string[];
    /** Additional certificate authorities (PEM) for callbacks, beside the public ones. */
    authorities: string[];
    /** Requests under way at once in this replica. */
    concurrency: number;
  };
}

const checkCidrs = (cidrs: string[]): string[] => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    try {
      list.addSubnet(address, Number(bits ?? NaN), isIPv6(address) ? 'ipv6' : 'ipv4');
    } catch {
      throw new ConfigError('DISPATCHER_CALLBACK_ALLOW_CIDRS', `must contain networks like 10.1.0.0/16, not "${cidr}"`);
    }
  }
  return cidrs;
};

const caFile = 'DISPATCHER_CALLBACK_CA_FILE';

/** PEM may have text between certificates, as bundles of operating systems do. */
const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

const readAuthorities = (path: string | undefined): string[] => {
  if (path === undefined) return [];
  try {
    const certificates = readFileSync(path, 'utf8').match(pemCertificate) ?? [];
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length > 0) return certificates;
  } catch (error) {
    throw new ConfigError(caFile, `names ${path}, which is no PEM file of certificates: ${(error as Error).message}`);
  }
  throw new ConfigError(caFile, `names ${path}, which holds no PEM certificate`);
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
      concurrency: reader.int('DISPATCHER_CALLBACK_CONCURRENCY', 256, { min: 1, max: 10_000 }),
    },
  };
};
