import type { KeyObject } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  type CommonConfig,
  commonConfig,
  ConfigError,
  defaultStopTimeoutMs,
  env,
  type EnvReader,
  identityPrivateKey,
  redisUrl,
  stopStepMinMs,
} from '@lanyard/service';
import { type Upstream, upstreams } from './upstreams.js';

export const app = 'gateway';

/** Up to `burst` requests at once, `perSecond` in the long run. */
export interface Rate {
  perSecond: number;
  burst: number;
}

export interface ConnectionBounds {
  /** Limits of open connections of this replica. */
  max: number;
  /** Limit of one client address. */
  perAddressMax: number;
}

/** What is created when the database is empty. */
export interface FirstStart {
  /** Where the first administrator key is written; needed only then. */
  keyFile?: string;
  accountId?: string;
  tier: 'free' | 'commercial';
  autoCreateDevices: boolean;
}

/** How long people stay signed in. */
export interface SessionBounds {
  /** Without a request. */
  idleMs: number;
  /** In any case. */
  maxMs: number;
}

export interface GatewayConfig extends CommonConfig {
  secrets: CommonConfig['secrets'] & {
    redisUrl: string;
    /** Signs identity tokens. No other service has this key. */
    identityKey: KeyObject;
  };
  firstStart: FirstStart;
  /** Base URLs of each upstream's replicas. */
  replicas: Record<Upstream, string[]>;
  /** Requests of one key. */
  keyRate: Rate;
  /** Requests of all keys of one account, when the account has no quota of its own. */
  accountRate: Rate;
  /** Requests of one client address without a valid key. */
  attemptRate: Rate;
  sessions: SessionBounds;
  redisPrefix: string;
  /** Origins whose pages may call the API from a browser; none by default. */
  corsOrigins: string[];
  /** How many proxies in front append to X-Forwarded-For. 0: the header is not trusted. */
  trustedProxies: number;
  connections: ConnectionBounds;
  /** Whether clients decide which of their requests are traced. */
  trustTraceParent: boolean;
  /** The base URL that clients use: in the OpenAPI document, and the origin of pages that may use a session. */
  publicUrl?: string;
  /** The built console. If it is not there, none is served. */
  consoleDir: string;
  /** How long a stop waits for open requests and sockets. */
  drainTimeoutMs: number;
}

/** Beside this app, from its sources and from its build. */
const builtConsole = fileURLToPath(new URL('../../console/dist', import.meta.url));

const variableOf = (upstream: Upstream): string => `GATEWAY_${upstream.replace('-', '_').toUpperCase()}_URLS`;

const replicasOf = (reader: EnvReader, upstream: Upstream): string[] => {
  const urls = reader.list(variableOf(upstream));
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (urls.length === 0 || wrong !== undefined)
    throw new ConfigError(
      variableOf(upstream),
      `must hold http(s) URLs, comma separated${wrong ? `, not "${wrong}"` : ''}`,
    );
  return urls;
};

const accountIdOf = (reader: EnvReader): string | undefined => {
  const id = reader.optional('GATEWAY_FIRST_ACCOUNT_ID');
  if (id !== undefined && !/^[0-9a-f]{32}$/.test(id))
    throw new ConfigError('GATEWAY_FIRST_ACCOUNT_ID', 'must be 32 lower-case hex characters');
  return id;
};

const tierOf = (reader: EnvReader): 'free' | 'commercial' => {
  const tier = reader.string('GATEWAY_FIRST_ACCOUNT_TIER', 'commercial');
  if (tier !== 'free' && tier !== 'commercial')
    throw new ConfigError('GATEWAY_FIRST_ACCOUNT_TIER', 'must be free or commercial');
  return tier;
};

const rate = (reader: EnvReader, name: string, perSecond: number, burst: number): Rate => ({
  perSecond: reader.int(`${name}_PER_SECOND`, perSecond, { min: 1, max: 1_000_000 }),
  burst: reader.int(`${name}_BURST`, burst, { min: 1, max: 1_000_000 }),
});

/** Less than the deadline of a whole stop, to leave time for its other steps. */
const drainTimeoutMs = (reader: EnvReader, stopTimeoutMs = defaultStopTimeoutMs): number => {
  const timeoutMs = reader.int('GATEWAY_DRAIN_TIMEOUT_MS', 5_000, { min: 0, max: 600_000 });
  const maxMs = stopTimeoutMs - 3 * stopStepMinMs;
  if (timeoutMs > maxMs)
    throw new ConfigError('GATEWAY_DRAIN_TIMEOUT_MS', `must be at most ${maxMs} with STOP_TIMEOUT_MS=${stopTimeoutMs}`);
  return timeoutMs;
};

export const readConfig = (source?: NodeJS.ProcessEnv): GatewayConfig => {
  const reader = env(source);
  const common = commonConfig(reader, app);
  return {
    ...common,
    secrets: { ...common.secrets, redisUrl: redisUrl(reader), identityKey: identityPrivateKey(reader) },
    firstStart: {
      keyFile: reader.optional('GATEWAY_FIRST_KEY_FILE'),
      accountId: accountIdOf(reader),
      tier: tierOf(reader),
      autoCreateDevices: reader.bool('GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES', false),
    },
    replicas: Object.fromEntries(upstreams.map((upstream) => [upstream, replicasOf(reader, upstream)])) as Record<
      Upstream,
      string[]
    >,
    keyRate: rate(reader, 'GATEWAY_KEY_RATE', 500, 1_000),
    accountRate: rate(reader, 'GATEWAY_ACCOUNT_RATE', 5_000, 10_000),
    attemptRate: rate(reader, 'GATEWAY_ATTEMPT_RATE', 5, 50),
    sessions: {
      idleMs: reader.int('GATEWAY_SESSION_IDLE_SECONDS', 3_600, { min: 300, max: 86_400 }) * 1_000,
      maxMs: reader.int('GATEWAY_SESSION_MAX_SECONDS', 43_200, { min: 300, max: 2_592_000 }) * 1_000,
    },
    redisPrefix: reader.string('GATEWAY_REDIS_PREFIX', 'gateway:'),
    corsOrigins: reader.list('GATEWAY_CORS_ORIGINS', []),
    trustedProxies: reader.int('GATEWAY_TRUSTED_PROXIES', 0, { min: 0, max: 10 }),
    connections: {
      max: reader.int('GATEWAY_CONNECTIONS_MAX', 20_000, { min: 1, max: 1_000_000 }),
      perAddressMax: reader.int('GATEWAY_CONNECTIONS_PER_ADDRESS_MAX', 2_500, { min: 1, max: 1_000_000 }),
    },
    trustTraceParent: reader.bool('GATEWAY_TRUST_TRACEPARENT', false),
    publicUrl: reader.optional('GATEWAY_PUBLIC_URL'),
    consoleDir: reader.string('GATEWAY_CONSOLE_DIR', builtConsole),
    drainTimeoutMs: drainTimeoutMs(reader, common.stopTimeoutMs),
  };
};
