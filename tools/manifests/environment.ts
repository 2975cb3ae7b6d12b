/** Compares the environment that manifests and the compose file give a service with what its config.ts reads and accepts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { databaseConfig, env } from '@lanyard/service';
import { newIdentityKeys } from '../lanyard/identity-keys.ts';
import { apps } from '../lanyard/service-processes.ts';
import { root } from '../lanyard/project.ts';
import { workloadsOf } from './policies.ts';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IEnvVar } from 'kubernetes-models/v1/EnvVar';
import type { IVolumeMount } from 'kubernetes-models/v1/VolumeMount';
import type { Manifest } from './kustomize.ts';

type Environment = Record<string, string>;

const { identityPrivateKey, identityPublicKey } = newIdentityKeys();

/** Stand-ins for values that a Secret or a person provides. */
const secrets: Environment = {
  CAMPAIGNS_S3_ACCESS_KEY_ID: 'key',
  CAMPAIGNS_S3_SECRET_ACCESS_KEY: 'secret',
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  REDIS_URL: 'redis://host:6379',
  IDENTITY_PRIVATE_KEY: identityPrivateKey,
  IDENTITY_PUBLIC_KEYS: identityPublicKey,
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  GATEWAY_PUBLIC_URL: 'https://host',
  GATEWAY_OIDC_ISSUER: 'https://host',
  GATEWAY_OIDC_CLIENT_ID: 'client',
  GATEWAY_OIDC_CLIENT_SECRET: 'secret',
  GATEWAY_OIDC_ROLES: `role=${'0'.repeat(32)}`,
  KAFKA_SASL_USERNAME: 'user',
  KAFKA_SASL_PASSWORD: 'password',
};

/**
 * A value that the variable accepts, so that a configuration is read to its end; undefined for a variable that may be
 * missing.
 */
const acceptedValue = (name: string) => {
  if (name in secrets) return secrets[name];
  if (name.endsWith('_ENABLED')) return 'true';
  if (name.endsWith('_ACCOUNT_ID')) return '0'.repeat(32);
  if (name.endsWith('_URLS')) return 'http://host';
  if (name.endsWith('_DATA_DIR')) return '/data';
  if (name === 'KAFKA_SASL_MECHANISM') return 'scram-sha-512';
  return name === 'KAFKA_BROKERS' ? 'host:1' : undefined;
};

/** A certificate in place of those of a cluster. */
const standIn = join(root, 'node_modules/.cache/lanyard-manifests/ca.pem');

const certificateFile = () => {
  mkdirSync(dirname(standIn), { recursive: true });
  writeFileSync(standIn, rootCertificates[0] ?? '');
  return standIn;
};

/** Variables that Node itself reads. */
const ofNode = new Set(['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']);

/** Replaces paths of infrastructure files, which services read at their start, and which exist only in the pod. */
const withFiles = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value !== '' && name.endsWith('_TLS_CA_FILE') ? certificateFile() : value,
    ]),
  );

/** The function that reads the environment of an app, or of `APP migrate`. */
const readerOf = async (app: string): Promise<(source: Environment) => unknown> => {
  const [name = '', command] = app.split(' ');
  if (command === undefined) return (await import(join(root, 'apps', name, 'dist/config.js'))).readConfig;
  return (source) => databaseConfig(env(source), name);
};

/**
 * Reads the configuration of an app from variables with these values. Throws what the app throws for them.
 * @returns the names that it read
 */
const readWith = async (app: string, value: (name: string) => string | undefined): Promise<Set<string>> => {
  const readConfig = await readerOf(app);
  const read = new Set<string>();
  readConfig(
    new Proxy({} as Environment, {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined;
        read.add(name);
        return value(name);
      },
    }),
  );
  return read;
};

/** Every variable that an app reads. */
export const variablesOf = (app: string): Promise<Set<string>> => readWith(app, acceptedValue);

export const environmentProblems = async (owner: string, app: string, environment: Environment): Promise<string[]> => {
  if (!apps.some((known) => known === app.replace(/ migrate$/, ''))) return [`${owner}: ${app} is no app`];
  const read = await variablesOf(app);
  try {
    const usable = withFiles(environment);
    for (const name of await readWith(app, (name) => usable[name])) read.add(name);
  } catch (error) {
    return [`${owner}: ${app} does not start with it: ${error instanceof Error ? error.message : error}`];
  }
  return Object.keys(environment)
    .filter((name) => !ofNode.has(name) && !read.has(name))
    .map((name) => `${owner}: ${app} does not read ${name}`);
};

const mapNamed = (manifests: Manifest[], name: string) => {
  const map = manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name === name);
  if (!map) throw new Error(`there is no ConfigMap ${name}`);
  return map.data as Environment;
};

/** The value of a variable. An optional key of a Secret is assumed to exist. */
const valueOf = ({ name, value, valueFrom }: IEnvVar, maps: Environment): string | undefined => {
  if (value !== undefined) return value;
  if (valueFrom?.fieldRef) return valueFrom.fieldRef.fieldPath === 'status.podIP' ? '10.1.0.7' : 'pod-0';
  const { key, optional } = valueFrom?.secretKeyRef ?? {};
  if (optional && !maps.KAFKA_SASL_MECHANISM) return undefined;
  if (key !== undefined && secrets[key]) return secrets[key];
  throw new Error(`${name} comes from nowhere`);
};

const ownValues = (variables: IEnvVar[], maps: Environment): Environment =>
  Object.fromEntries(
    variables.flatMap((variable) => {
      const value = valueOf(variable, maps);
      return value === undefined ? [] : [[variable.name, value]];
    }),
  );

/** The keys in the example of an app's Secret. */
const secretKeysOf = (app: string): string[] => {
  const example = readFileSync(join(root, `k8s/secrets/${app}.example.env`), 'utf8');
  return [...example.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, key = '']) => key);
};

/** Variables that docs/configuration.md calls secret. */
const secretVariables = (): string[] =>
  readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    .split('\n')
    .filter((row) => /\*\*secret\.\*\*/i.test(row))
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)])
    .map(([, name = '']) => name);

/** Each app has its own Secret, with exactly the variables that it reads. `isWhole`: the container reads all of it. */
const secretProblems = async (app: string, variables: IEnvVar[], isWhole: boolean): Promise<string[]> => {
  const refs = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
  const keys = secretKeysOf(app);
  const read = isWhole ? await variablesOf(app) : new Set<string>();
  return [
    ...secretVariables()
      .filter((name) => read.has(name) && !refs.some(({ key }) => key === name))
      .map((name) => `takes ${name}, which is secret, from no Secret`),
    ...refs.filter(({ name }) => name !== `${app}-secrets`).map(({ name, key }) => `takes ${key} from ${name}`),
    ...refs.filter(({ key }) => !keys.includes(key)).map(({ key }) => `k8s/secrets/${app}.example.env has no ${key}`),
    ...keys
      .filter((key) => isWhole && !refs.some((ref) => ref.key === key))
      .map((key) => `k8s/secrets/${app}.example.env has ${key}, which is not used`),
  ];
};

/** Files that no volume provides. */
const missingFiles = (environment: Environment, mounts: IVolumeMount[]): string[] =>
  Object.entries(environment)
    .filter(([name, path]) => name.endsWith('_FILE') && path !== '')
    .filter(([, path]) => !mounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`)))
    .map(([name, path]) => `${name} names ${path}, where nothing is mounted`);

/** The heap has at most three quarters of the memory limit: beside it there are buffers, code and stacks. */
const heapProblems = (
  { NODE_OPTIONS: options = '' }: Environment,
  { limits }: IContainer['resources'] = {},
): string[] => {
  const heap = Number(/--max-old-space-size=(\d+)/.exec(options)?.[1]);
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(String(limits?.memory)) ?? [];
  const limit = Number(amount) * ({ Mi: 1, Gi: 1024 }[unit] ?? Number.NaN);
  return heap <= (limit * 3) / 4 ? [] : [`a heap of ${heap} MiB is too large for a limit of ${limits?.memory}`];
};

const containerProblems = async (
  owner: string,
  { args = [], env = [], envFrom = [], resources, volumeMounts = [] }: IContainer,
  manifests: Manifest[],
): Promise<string[]> => {
  const [, name, command = ''] = /^.*?apps\/([^/]+)\/bundle\/main\.js( migrate)?$/.exec(args.join(' ')) ?? [];
  if (!name) return [];
  try {
    const maps: Environment = Object.assign(
      {},
      ...envFrom.map(({ configMapRef }) => mapNamed(manifests, configMapRef?.name ?? '')),
    );
    const environment = { ...maps, ...ownValues(env, maps) };
    const isOwnName = env.some((v) => v.name === 'REPLICA_ID' && v.valueFrom?.fieldRef?.fieldPath === 'metadata.name');
    return [
      ...(await environmentProblems(owner, name + command, environment)),
      ...[
        ...missingFiles(environment, volumeMounts),
        ...(await secretProblems(name, env, command === '')),
        ...(command === '' ? heapProblems(environment, resources) : []),
      ].map((problem) => `${owner}: ${problem}`),
      ...(isOwnName ? [] : [`${owner}: REPLICA_ID is not the name of the pod`]),
    ];
  } catch (error) {
    return [`${owner}: ${error instanceof Error ? error.message : error}`];
  }
};

/** Problems of every container of an app. */
export const manifestEnvironmentProblems = async (manifests: Manifest[]): Promise<string[]> => {
  const problems = [];
  for (const { id, pod } of workloadsOf(manifests))
    for (const container of pod.containers) problems.push(...(await containerProblems(id, container, manifests)));
  return problems;
};

/** Resolves `${NAME:?why}` and `${NAME:-default}` of a compose file. */
export const interpolated = (text: string) =>
  text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) =>
    kind === '-' ? rest : (acceptedValue(name) ?? (name.endsWith('ACCOUNT_ID') ? '0'.repeat(32) : 'x')),
  );
