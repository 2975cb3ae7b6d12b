/** The six services as processes: which, where, with what environment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

export const apps = /** @type {const} */ ([
  'gateway',
  'registry',
  'device-proxy',
  'snapshot',
  'event-log',
  'dispatcher',
]);

/**
 * @typedef {typeof apps[number]} App
 * @typedef {{ app: App, name: string, port: number, coapPort?: number }} Replica
 * @typedef {{ brokers: string, databaseUrl: string, databaseUrls?: Record<App, string>, redisUrl: string }} EngineUrls
 *   `databaseUrls`: of the services, each as a user of its own; without them all use `databaseUrl`
 * @typedef {{ identityPrivateKey: string, identityPublicKey: string, encryptionKey: string, accountId: string }} Secrets
 */

export const version = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** @param {Replica[]} replicas @param {App} app */
const urlsOf = (replicas, app) =>
  replicas
    .filter((r) => r.app === app)
    .map((r) => `http://127.0.0.1:${r.port}`)
    .join(',');

/** @type {ReadonlySet<App>} */
export const usersOfRedis = new Set(['gateway', 'device-proxy', 'dispatcher']);

/** They seal or open what is secret at rest. @type {ReadonlySet<App>} */
const usersOfEncryptionKey = new Set(['registry', 'device-proxy', 'dispatcher']);

/**
 * The environment of one replica (docs/configuration.md).
 * @param {Replica} replica
 * @param {{ replicas: Replica[], engines: EngineUrls, secrets: Secrets, keyFile: string, coapHost: string, baseUrl: string, env?: Record<string, string> }} system
 * @returns {Record<string, string>}
 */
export const environment = (replica, { replicas, engines, secrets, keyFile, coapHost, baseUrl, env = {} }) => {
  /** Unless the operator says otherwise. @type {Partial<Record<App, Record<string, string>>>} */
  const defaults = {
    gateway: { GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES: 'true', GATEWAY_PUBLIC_URL: baseUrl },
    dispatcher: { DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' },
  };
  /** @type {Partial<Record<App, Record<string, string>>>} */
  const own = {
    gateway: {
      GATEWAY_FIRST_KEY_FILE: keyFile,
      GATEWAY_FIRST_ACCOUNT_ID: secrets.accountId,
      GATEWAY_REGISTRY_URLS: urlsOf(replicas, 'registry'),
      GATEWAY_DEVICE_PROXY_URLS: urlsOf(replicas, 'device-proxy'),
      GATEWAY_SNAPSHOT_URLS: urlsOf(replicas, 'snapshot'),
      GATEWAY_EVENT_LOG_URLS: urlsOf(replicas, 'event-log'),
      GATEWAY_DISPATCHER_URLS: urlsOf(replicas, 'dispatcher'),
    },
    'device-proxy': {
      DEVICE_PROXY_COAP_NOSEC_ENABLED: 'true',
      DEVICE_PROXY_COAP_HOST: coapHost,
      DEVICE_PROXY_COAP_PORT: String(replica.coapPort ?? 0),
      DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID: secrets.accountId,
    },
  };
  return {
    ...defaults[replica.app],
    ...inherited(),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(replica.port),
    KAFKA_BROKERS: engines.brokers,
    DATABASE_URL: engines.databaseUrls?.[replica.app] ?? engines.databaseUrl,
    ...(usersOfRedis.has(replica.app) && { REDIS_URL: engines.redisUrl }),
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

/** What any process needs, and settings of the apps that the operator gives. */
const inherited = () =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined &&
      /^(PATH|HOME|TZ|LANG|NODE_\w+|KAFKA_\w+|OTEL_\w+|DATABASE_TLS_\w+|REDIS_TLS_\w+|GATEWAY_\w+|DEVICE_PROXY_\w+|DISPATCHER_\w+)$/.test(
        name,
      )
        ? [[name, value]]
        : [],
    ),
  );

/** @param {App} app @param {string} [folder] of the checkout */
export const entryPoint = (app, folder = root) => join(folder, 'apps', app, 'dist/main.js');
