/** The seven services as processes: their programs, ports and environment. */
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { root } from './project.ts';

export const apps = [
  'gateway',
  'registry',
  'device-proxy',
  'snapshot',
  'event-log',
  'dispatcher',
  'campaigns',
] as const;

export type App = (typeof apps)[number];

export interface Replica {
  app: App;
  name: string;
  port: number;
  /** UDP without security, DTLS (UDP) and TLS (TCP), of a device-proxy. */
  coapPort?: number;
  dtlsPort?: number;
  tlsPort?: number;
}

/** `databaseUrls`: URLs of the services, each with its own user; without them, all use `databaseUrl` */
export interface InfrastructureUrls {
  brokers: string;
  databaseUrl: string;
  databaseUrls?: Record<App, string>;
  redisUrl: string;
}

export interface Secrets {
  identityPrivateKey: string;
  identityPublicKey: string;
  encryptionKey: string;
  accountId: string;
}

export const version = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

const urlsOf = (replicas: Replica[], app: App) =>
  replicas
    .filter((r) => r.app === app)
    .map((r) => `http://127.0.0.1:${r.port}`)
    .join(',');

/** What the names of an app's variables begin with. */
const prefixOf = (app: App) => `${app.replace('-', '_').toUpperCase()}_`;

/** The gateway does not start without an address of each service: this is that of one that does not run. */
const nowhere = 'http://127.0.0.1:1';

/** The gateway's variables with the addresses of the other services. */
export const upstreamUrls = (urlsOfApp: (app: App) => string): Record<string, string> =>
  Object.fromEntries(
    apps.filter((app) => app !== 'gateway').map((app) => [`GATEWAY_${prefixOf(app)}URLS`, urlsOfApp(app)]),
  );

/** A host as URLs contain it: an IPv6 address has brackets there. */
export const inUrl = (host: string) => (isIPv6(host) ? `[${host}]` : host);

/** Where devices download packages: from the listeners of any device-proxy, or over HTTP through the gateway. */
const packageUris = (replicas: Replica[], coapHost: string, baseUrl: string) => {
  const { coapPort, dtlsPort, tlsPort } = replicas.find((r) => r.app === 'device-proxy') ?? {};
  const listeners = { coap: coapPort, coaps: dtlsPort, 'coaps+tcp': tlsPort };
  const host = inUrl(coapHost);
  const uris = Object.entries(listeners).flatMap(([scheme, port]) => (port ? [`${scheme}://${host}:${port}`] : []));
  return [...uris, baseUrl].join(',');
};

export const usersOfRedis: ReadonlySet<App> = new Set(['gateway', 'device-proxy', 'dispatcher']);

/** These services encrypt or decrypt secrets at rest. */
export const usersOfEncryptionKey: ReadonlySet<App> = new Set(['registry', 'device-proxy', 'dispatcher', 'campaigns']);

/** Where Node keeps what it has compiled: a service that starts again is ready sooner. */
export const compiledCode = join(root, 'node_modules/.cache/lanyard-compiled');

/** The environment of one replica (docs/configuration.md). */
export const environment = (
  replica: Replica,
  {
    replicas,
    infrastructure,
    secrets,
    keyFile,
    packagesFolder,
    coapHost,
    baseUrl,
    env = {},
  }: {
    replicas: Replica[];
    infrastructure: InfrastructureUrls;
    secrets: Secrets;
    keyFile: string;
    /** Folder of the contents of packages. */
    packagesFolder: string;
    coapHost: string;
    baseUrl: string;
    env?: Record<string, string>;
  },
): Record<string, string> => {
  /** Used unless the operator sets other values. */
  const defaults: Partial<Record<App, Record<string, string>>> = {
    gateway: { GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES: 'true', GATEWAY_PUBLIC_URL: baseUrl },
    'device-proxy': { DEVICE_PROXY_COAP_DTLS_ENABLED: 'true', DEVICE_PROXY_COAP_TLS_ENABLED: 'true' },
    dispatcher: { DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' },
    campaigns: {
      CAMPAIGNS_DATA_DIR: packagesFolder,
      CAMPAIGNS_PACKAGE_URIS: packageUris(replicas, coapHost, baseUrl),
    },
  };
  const own: Partial<Record<App, Record<string, string>>> = {
    gateway: {
      GATEWAY_FIRST_KEY_FILE: keyFile,
      GATEWAY_FIRST_ACCOUNT_ID: secrets.accountId,
      ...upstreamUrls((app) => urlsOf(replicas, app) || nowhere),
    },
    'device-proxy': {
      DEVICE_PROXY_CAMPAIGNS_URLS: urlsOf(replicas, 'campaigns'),
      DEVICE_PROXY_COAP_NOSEC_ENABLED: 'true',
      DEVICE_PROXY_COAP_HOST: coapHost,
      DEVICE_PROXY_COAP_PORT: String(replica.coapPort ?? 0),
      DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID: secrets.accountId,
      DEVICE_PROXY_COAP_DTLS_HOST: coapHost,
      DEVICE_PROXY_COAP_DTLS_PORT: String(replica.dtlsPort ?? 0),
      DEVICE_PROXY_COAP_TLS_HOST: coapHost,
      DEVICE_PROXY_COAP_TLS_PORT: String(replica.tlsPort ?? 0),
      ...(replicas.filter(({ app }) => app === 'device-proxy').length > 1 && {
        DEVICE_PROXY_PEER_HOST: '127.0.0.1',
        DEVICE_PROXY_PEER_PORT: '0',
      }),
    },
  };
  return {
    NODE_COMPILE_CACHE: compiledCode,
    ...defaults[replica.app],
    ...inherited(replica.app),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(replica.port),
    KAFKA_BROKERS: infrastructure.brokers,
    DATABASE_URL: infrastructure.databaseUrls?.[replica.app] ?? infrastructure.databaseUrl,
    ...(usersOfRedis.has(replica.app) && { REDIS_URL: infrastructure.redisUrl }),
    LOG_LEVEL: process.env.LOG_LEVEL || 'info',
    ...(replica.app === 'gateway'
      ? { IDENTITY_PRIVATE_KEY: secrets.identityPrivateKey }
      : { IDENTITY_PUBLIC_KEYS: secrets.identityPublicKey }),
    ...(usersOfEncryptionKey.has(replica.app) && { ENCRYPTION_KEY: secrets.encryptionKey }),
    REPLICA_ID: replica.name,
    ...own[replica.app],
    ...env,
  };
};

/** Variables that any service may need. */
const shared = /^(PATH|HOME|TZ|LANG|NODE_\w+|KAFKA(JS)?_\w+|OTEL_\w+|DATABASE_TLS_\w+|REDIS_TLS_\w+)$/;

/** The operator's variables for one app: its own and the shared ones. Those of other apps may be secrets. */
const inherited = (app: App) => {
  const own = prefixOf(app);
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && (shared.test(name) || name.startsWith(own)) ? [[name, value]] : [],
    ),
  );
};

/** @param folder of the checkout; one that does not bundle its services has modules only */
export const entryPoint = (app: App, folder: string = root) => {
  const bundle = join(folder, 'apps', app, 'bundle/main.js');
  return folder === root || existsSync(bundle) ? bundle : join(folder, 'apps', app, 'dist/main.js');
};
