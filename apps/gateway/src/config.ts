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
  isHttpUrl,
  redisUrl,
  replicaUrls,
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
  /** Longest time without a request. */
  idleMs: number;
  /** Longest time in any case. */
  maxMs: number;
}

export interface OidcConfig {
  issuer: URL;
  clientId: string;
  /** Separated by spaces. */
  scopes: string;
  /** The provider's name on the sign-in page. */
  name: string;
  /** Claim with the roles of a person; dots lead into objects. */
  rolesClaim: string;
  /** Role -> ids of the key groups that it gives. */
  roles: ReadonlyMap<string, readonly string[]>;
  /** Where the provider sends the browser back to. */
  redirectUri: URL;
}

export interface GatewayConfig extends CommonConfig {
  secrets: CommonConfig['secrets'] & {
    redisUrl: string;
    /** Signs identity tokens. No other service has this key. */
    identityKey: KeyObject;
    oidcClientSecret?: string;
  };
  firstStart: FirstStart;
  /** Base URLs of each upstream's replicas. */
  replicas: Record<Upstream, string[]>;
  keyRate: Rate;
  /** Requests of all keys of one account, when the account has no quota of its own. */
  accountRate: Rate;
  /** Requests of one client address without a valid key. */
  unauthenticatedRate: Rate;
  sessions: SessionBounds;
  /** Absent: people sign in with API keys only. */
  oidc?: OidcConfig;
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
  /** The built console. If it does not exist, no console is served. */
  consoleDir: string;
  /** How long a stop waits for open requests and sockets. */
  drainTimeoutMs: number;
}

/** This path is right both from the sources of this app and from its build. */
const builtConsole = fileURLToPath(new URL('../../console/dist', import.meta.url));

const variableOf = (upstream: Upstream): string => `GATEWAY_${upstream.replace('-', '_').toUpperCase()}_URLS`;

const replicasOf = (reader: EnvReader, upstream: Upstream): string[] => {
  const urls = replicaUrls(reader, variableOf(upstream));
  if (urls.length === 0) throw new ConfigError(variableOf(upstream), 'must hold at least one URL');
  return urls;
};

const publicUrlOf = (reader: EnvReader): string | undefined => {
  const text = reader.optional('GATEWAY_PUBLIC_URL');
  if (text !== undefined && !isHttpUrl(text))
    throw new ConfigError('GATEWAY_PUBLIC_URL', `must be an http(s) URL, not "${text}"`);
  return text;
};

/** As browsers send it (RFC 6454 §6.2), in lower case, without a path and a default port: it is compared as text. */
const isOrigin = (text: string): boolean =>
  isHttpUrl(text) ? new URL(text).origin === text : /^[a-z][a-z\d+.-]*:\/\/[^A-Z/?#@]+$/.test(text);

/** Instead of an origin: any, and that of files and of frames in a sandbox. */
const specialOrigins = ['*', 'null'];

const corsOriginsOf = (reader: EnvReader): string[] => {
  const origins = reader.list('GATEWAY_CORS_ORIGINS', []);
  const wrong = origins.find((origin) => !specialOrigins.includes(origin) && !isOrigin(origin));
  if (wrong !== undefined)
    throw new ConfigError(
      'GATEWAY_CORS_ORIGINS',
      `must hold origins as browsers send them, such as https://app.example.com (no "/" at the end), not "${wrong}"`,
    );
  return origins;
};

const accountIdOf = (reader: EnvReader): string | undefined => {
  const id = reader.optional('GATEWAY_FIRST_ACCOUNT_ID');
  if (id !== undefined && !/^[0-9a-f]{32}$/.test(id))
    throw new ConfigError('GATEWAY_FIRST_ACCOUNT_ID', 'must be 32 lower-case hex characters');
  return id;
};

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

const webUrl = (reader: EnvReader, name: string): URL => {
  const text = reader.string(name);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    throw new ConfigError(name, `must be an https URL (http on this machine only), not "${text}"`);
  return url;
};

const rolesOf = (reader: EnvReader): Map<string, string[]> => {
  const roles = new Map<string, string[]>();
  for (const pair of reader.list('GATEWAY_OIDC_ROLES')) {
    const at = pair.lastIndexOf('=');
    const [role, groupId] = [pair.slice(0, at), pair.slice(at + 1)];
    if (at < 1 || !/^[0-9a-f]{32}$/.test(groupId))
      throw new ConfigError(
        'GATEWAY_OIDC_ROLES',
        `must hold pairs such as operators=<id of a key group>, not "${pair}"`,
      );
    roles.set(role, [...(roles.get(role) ?? []), groupId]);
  }
  return roles;
};

const oidcOf = (reader: EnvReader): OidcConfig | undefined => {
  if (reader.optional('GATEWAY_OIDC_ISSUER') === undefined) return undefined;
  const issuer = webUrl(reader, 'GATEWAY_OIDC_ISSUER');
  return {
    issuer,
    clientId: reader.string('GATEWAY_OIDC_CLIENT_ID'),
    scopes: reader.string('GATEWAY_OIDC_SCOPES', 'openid profile email'),
    name: reader.string('GATEWAY_OIDC_NAME', issuer.hostname),
    rolesClaim: reader.string('GATEWAY_OIDC_ROLES_CLAIM', 'groups'),
    roles: rolesOf(reader),
    redirectUri: new URL('/v3/session/oidc/callback', webUrl(reader, 'GATEWAY_PUBLIC_URL')),
  };
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
  const oidc = oidcOf(reader);
  const oidcClientSecret = reader.optional('GATEWAY_OIDC_CLIENT_SECRET');
  return {
    ...common,
    secrets: {
      ...common.secrets,
      redisUrl: redisUrl(reader),
      identityKey: identityPrivateKey(reader),
      ...(oidcClientSecret !== undefined && { oidcClientSecret }),
    },
    ...(oidc && { oidc }),
    firstStart: {
      keyFile: reader.optional('GATEWAY_FIRST_KEY_FILE'),
      accountId: accountIdOf(reader),
      tier: reader.choice('GATEWAY_FIRST_ACCOUNT_TIER', ['free', 'commercial'], 'commercial'),
      autoCreateDevices: reader.bool('GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES', false),
    },
    replicas: Object.fromEntries(upstreams.map((upstream) => [upstream, replicasOf(reader, upstream)])) as Record<
      Upstream,
      string[]
    >,
    keyRate: rate(reader, 'GATEWAY_KEY_RATE', 500, 1_000),
    accountRate: rate(reader, 'GATEWAY_ACCOUNT_RATE', 5_000, 10_000),
    unauthenticatedRate: rate(reader, 'GATEWAY_UNAUTHENTICATED_RATE', 5, 50),
    sessions: {
      idleMs: reader.int('GATEWAY_SESSION_IDLE_SECONDS', 3_600, { min: 300, max: 86_400 }) * 1_000,
      maxMs: reader.int('GATEWAY_SESSION_MAX_SECONDS', 43_200, { min: 300, max: 2_592_000 }) * 1_000,
    },
    redisPrefix: reader.string('GATEWAY_REDIS_PREFIX', 'gateway:'),
    corsOrigins: corsOriginsOf(reader),
    trustedProxies: reader.int('GATEWAY_TRUSTED_PROXIES', 0, { min: 0, max: 10 }),
    connections: {
      max: reader.int('GATEWAY_CONNECTIONS_MAX', 20_000, { min: 1, max: 1_000_000 }),
      perAddressMax: reader.int('GATEWAY_CONNECTIONS_PER_ADDRESS_MAX', 2_500, { min: 1, max: 1_000_000 }),
    },
    trustTraceParent: reader.bool('GATEWAY_TRUST_TRACEPARENT', false),
    publicUrl: publicUrlOf(reader),
    consoleDir: reader.string('GATEWAY_CONSOLE_DIR', builtConsole),
    drainTimeoutMs: drainTimeoutMs(reader, common.stopTimeoutMs),
  };
};
