/** What manifests and the compose file give a service, and what its config.ts reads and accepts. */
import { join } from 'node:path';
import { databaseConfig, env } from '@lanyard/service';
import { apps } from '../lanyard/service-processes.mjs';
import { root } from '../lanyard/project.mjs';
import { workloadsOf } from './policies.mjs';

/**
 * @typedef {import('./kustomize.mjs').Manifest} Manifest
 * @typedef {Record<string, string>} Environment
 * @typedef {{ name: string, value?: string, valueFrom?: { secretKeyRef?: { name: string, key: string }, fieldRef?: { fieldPath: string } } }} Variable
 */

/** Stand-ins for what a Secret or a person fills in. @type {Environment} */
const secrets = {
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  REDIS_URL: 'redis://host:6379',
  IDENTITY_SECRETS: 'i'.repeat(32),
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

/** Something that every variable accepts, so that a configuration is read to its end. @param {string} name */
const anything = (name) => {
  if (name in secrets) return secrets[name];
  if (name.endsWith('_ENABLED')) return 'true';
  if (name.endsWith('_ACCOUNT_ID')) return '0'.repeat(32);
  if (name.endsWith('_URLS')) return 'http://host';
  return name === 'KAFKA_BROKERS' ? 'host:1' : undefined;
};

/** What reads the environment of an app, or of `APP migrate`. @param {string} app @returns {Promise<(source: Environment) => unknown>} */
const readerOf = async (app) => {
  const [name = '', command] = app.split(' ');
  if (command === undefined) return (await import(join(root, 'apps', name, 'dist/config.js'))).readConfig;
  return (source) => databaseConfig(env(source), name);
};

/** @param {string} app @param {(name: string) => string | undefined} value @returns {Promise<Set<string>>} the names that it read */
const readWith = async (app, value) => {
  const readConfig = await readerOf(app);
  /** @type {Set<string>} */
  const read = new Set();
  readConfig(
    new Proxy(/** @type {Environment} */ ({}), {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined;
        read.add(name);
        return value(name);
      },
    }),
  );
  return read;
};

/** @param {string} owner @param {string} app @param {Environment} environment @returns {Promise<string[]>} */
export const environmentProblems = async (owner, app, environment) => {
  if (!apps.some((known) => known === app.replace(/ migrate$/, ''))) return [`${owner}: ${app} is no app`];
  const read = await readWith(app, anything);
  try {
    for (const name of await readWith(app, (name) => environment[name])) read.add(name);
  } catch (error) {
    return [`${owner}: ${app} does not start with it: ${error instanceof Error ? error.message : error}`];
  }
  return Object.keys(environment)
    .filter((name) => !read.has(name))
    .map((name) => `${owner}: ${app} does not read ${name}`);
};

/** @param {Manifest[]} manifests @param {string} name */
const mapNamed = (manifests, name) => {
  const map = manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name === name);
  if (!map) throw new Error(`there is no ConfigMap ${name}`);
  return /** @type {Environment} */ (map.data);
};

/** @param {Variable} variable @returns {string} */
const valueOf = ({ name, value, valueFrom }) => {
  if (value !== undefined) return value;
  if (valueFrom?.fieldRef) return 'pod-0';
  const { key } = valueFrom?.secretKeyRef ?? {};
  if (key !== undefined && secrets[key]) return secrets[key];
  throw new Error(`${name} comes from nowhere`);
};

/** @param {string} owner @param {{ args?: string[], env?: Variable[], envFrom?: { configMapRef?: { name: string } }[] }} container @param {Manifest[]} manifests @returns {Promise<string[]>} */
const containerProblems = async (owner, { args = [], env = [], envFrom = [] }, manifests) => {
  const [, name, command = ''] = /^.*?apps\/([^/]+)\/dist\/main\.js( migrate)?$/.exec(args.join(' ')) ?? [];
  if (!name) return [];
  const app = name + command;
  try {
    const maps = envFrom.map(({ configMapRef }) => mapNamed(manifests, configMapRef?.name ?? ''));
    const own = Object.fromEntries(env.map((variable) => [variable.name, valueOf(variable)]));
    const problems = await environmentProblems(owner, app, Object.assign({}, ...maps, own));
    const isOwnName = env.some((v) => v.name === 'REPLICA_ID' && v.valueFrom?.fieldRef?.fieldPath === 'metadata.name');
    return isOwnName ? problems : [...problems, `${owner}: REPLICA_ID is not the name of the pod`];
  } catch (error) {
    return [`${owner}: ${error instanceof Error ? error.message : error}`];
  }
};

/** Of every container of an app. @param {Manifest[]} manifests @returns {Promise<string[]>} */
export const manifestEnvironmentProblems = async (manifests) => {
  const problems = [];
  for (const { id, pod } of workloadsOf(manifests))
    for (const container of pod.containers) problems.push(...(await containerProblems(id, container, manifests)));
  return problems;
};

/** `${NAME:?why}` and `${NAME:-default}` of a compose file. @param {string} text */
export const interpolated = (text) =>
  text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) =>
    kind === '-' ? rest : (anything(name) ?? (name.endsWith('ACCOUNT_ID') ? '0'.repeat(32) : 'x')),
  );
