import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../lanyard/project.ts';
import { commandProblems } from './commands.ts';
import { differences } from './compare.ts';
import { devSecrets } from './dev-secrets.ts';
import { buildKustomization, type Manifest, patchManifest } from './kustomize.ts';
import { coverageProblems, workloadsOf } from './policies.ts';
import { waveProblems } from './waves.ts';

/** `2m` of ingress-nginx; a unit that is not expected fails the test. */
const mebibytesOf = (size: string): number => Number(/^(\d+)m$/.exec(size)?.[1]);

const component = (name: string) => buildKustomization(join(root, 'k8s/components', name));

/** Of an Ingress. */
const pathsOf = (spec: unknown): string[] =>
  (spec as { rules: { http: { paths: { path: string }[] } }[] }).rules.flatMap(({ http }) =>
    http.paths.map(({ path }) => path),
  );

const ingressPaths = () =>
  component('ingress').flatMap(({ metadata, spec }) => {
    const size = metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '1m';
    return pathsOf(spec).map((path) => [path, mebibytesOf(size)] as const);
  });

it('the ingress accepts uploads as large as the gateway does, and other bodies only little larger than their limit', () => {
  const limitOf = new Map(ingressPaths());
  for (const path of ['/v3/device-imports', '/v3/firmware-images']) expect(limitOf.get(path)).toBeGreaterThan(256);
  for (const path of ['/v2', '/v3']) {
    expect(limitOf.get(path)).toBeGreaterThan(1);
    expect(limitOf.get(path)).toBeLessThanOrEqual(2);
  }
});

it('the routes of the Gateway API and the ingress lead to the same paths', () => {
  const routed = component('gateway-api').flatMap(({ kind, spec }) =>
    kind === 'HTTPRoute'
      ? (spec as { rules: { matches: { path: { value: string } }[] }[] }).rules.flatMap(({ matches }) =>
          matches.map(({ path }) => path.value),
        )
      : [],
  );
  expect(routed.toSorted()).toEqual(
    ingressPaths()
      .map(([path]) => path)
      .toSorted(),
  );
});

it('a list of services in docs/kubernetes.md that leaves one out is found, and a command without a namespace', () => {
  const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
  expect(commandProblems(page)).toEqual([]);
  expect(commandProblems(page.replace(', campaigns)', ')'))).toEqual([expect.stringContaining('campaigns is missing')]);
  expect(commandProblems(page.replace('kubectl -n lanyard debug', 'kubectl debug'))).toEqual([
    expect.stringContaining('kubectl debug'),
  ]);
  expect(commandProblems('')).not.toEqual([]);
});

it('the example of docs/kubernetes.md for servers outside the cluster opens their addresses and their ports', () => {
  const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
  const form = /```yaml\n( *- target: \{ kind: NetworkPolicy, name: infrastructure \}\n[\s\S]*?\n) *```/;
  const [, example = ''] = form.exec(page) ?? [];
  const policy = buildKustomization(join(root, 'k8s/overlays/prod')).find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'infrastructure',
  );
  if (!policy) throw new Error('there is no policy infrastructure');
  for (const { patch } of parse(example) as { patch: string }[]) patchManifest(policy, parse(patch));
  expect((policy.spec as { egress: unknown }).egress).toEqual([
    {
      to: [{ ipBlock: { cidr: '10.20.0.0/24' } }],
      ports: [
        { protocol: 'TCP', port: 5432 },
        { protocol: 'TCP', port: 9096 },
      ],
    },
  ]);
});

it('what is sent for as long as it takes has no time limit at the Gateway, and is not buffered by the ingress', () => {
  const endless = ['/v2/notification/websocket-connect', '/v3/device-events/stream', '/v3/devices/export'];
  const routes = component('gateway-api').flatMap(({ kind, spec }) =>
    kind === 'HTTPRoute'
      ? (spec as { rules: { matches: { path: { value: string } }[]; timeouts: { request: string } }[] }).rules
      : [],
  );
  const unlimited = routes.filter(({ timeouts }) => timeouts.request === '0s');
  expect(unlimited.flatMap(({ matches }) => matches.map(({ path }) => path.value))).toEqual(
    expect.arrayContaining(endless),
  );
  const unbuffered = component('ingress').filter(
    ({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-buffering'] === 'off',
  );
  expect(unbuffered.flatMap(({ spec }) => pathsOf(spec))).toEqual(endless);
});

it('private keys that docs/kubernetes.md makes are neither committed nor sent to a builder of images', () => {
  const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
  const form = / (?:-keyout |--from-env-file=|--from-file=(?:\S+=)?)(\S+)/g;
  const paths = [...page.matchAll(form)].map(([, path = '']) => path);
  expect(paths).toEqual(expect.arrayContaining(['secrets/ca.key', 'secrets/tls.key', 'secrets/users.acl']));
  expect(paths.filter((path) => !path.startsWith('secrets/'))).toEqual([]);
  const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n');
  expect(linesOf('.gitignore')).toContain('/secrets/');
  expect(linesOf('.dockerignore')).toContain('secrets');
});

it('a builder that makes another object, more or fewer is found out', () => {
  const map = (data: object, name = 'lanyard-common-0123456789') =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }) as Manifest;
  expect(differences([map({ A: '1' })], [map({ A: '1' }, 'lanyard-common-abcdef0123')], 'b')).toEqual([]);
  expect(differences([map({ A: '1' })], [map({ A: '2' })], 'b')).toEqual([
    'b makes another ConfigMap lanyard-common: /data/A',
  ]);
  expect(differences([map({})], [map({}), map({}, 'more')], 'b')).toEqual(['b also makes ConfigMap more']);
  expect(differences([map({}), map({}, 'more')], [map({})], 'b')).toEqual(['b makes no ConfigMap more']);
});

it('the script for Docker Compose generates every secret of the file, changes none that exists, and shows none to others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-compose-'));
  const file = join(folder, '.env');
  const run = (): string => {
    execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), file]);
    return readFileSync(file, 'utf8');
  };
  writeFileSync(file, 'REDIS_PASSWORD=mine');
  chmodSync(file, 0o644);
  const made = run();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(run()).toBe(made);
  rmSync(folder, { recursive: true });
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const wanted = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const names = [...made.matchAll(/^(\w+)=\S+$/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([...new Set(wanted)].toSorted());
  expect(made).toMatch(/^REDIS_PASSWORD=mine\n/);
});

it('the script for Docker Compose fills in what a copy of .env.example leaves empty, with keys that match', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-compose-'));
  const file = join(folder, '.env');
  const run = (): Partial<Record<string, string>> => {
    execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), file]);
    const lines = readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  };
  const publicKeyOf = (privateKey = ''): string => {
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
  };
  try {
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    expect(example).toMatch(/^ENCRYPTION_KEY=$/m);
    writeFileSync(file, example);
    const made = run();
    const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const wanted = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    expect(wanted.filter((name) => !made[name])).toEqual([]);
    expect(made.IDENTITY_PUBLIC_KEYS).toBe(publicKeyOf(made.IDENTITY_PRIVATE_KEY));
    expect(run()).toEqual(made);
    const given = `IDENTITY_PRIVATE_KEY=${made.IDENTITY_PRIVATE_KEY ?? ''}`;
    writeFileSync(file, example.replace(/^IDENTITY_PRIVATE_KEY=$/m, given));
    expect(run().IDENTITY_PUBLIC_KEYS).toBe(made.IDENTITY_PUBLIC_KEYS);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const gibibytes = (quantity: unknown): number => {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(amount) / ({ Mi: 1024, Gi: 1 }[unit] ?? Number.NaN);
};

it('production gets all of its memory, whatever else its node is asked for', () => {
  const containers = workloadsOf(buildKustomization(join(root, 'k8s/overlays/prod'))).flatMap(
    ({ pod }) => pod.containers,
  );
  expect(containers).toHaveLength(7);
  for (const { resources } of containers) expect(resources?.requests?.memory).toBe(resources?.limits?.memory);
});

it('PostgreSQL has connections for all pods that autoscalers may start, and half as many again for an upgrade', () => {
  const manifests = buildKustomization(join(root, 'k8s/overlays/prod'));
  const maximumOf = new Map(
    manifests.flatMap(({ spec }) => {
      const { scaleTargetRef, maxReplicas, maxReplicaCount } = (spec ?? {}) as {
        scaleTargetRef?: { name: string };
        maxReplicas?: number;
        maxReplicaCount?: number;
      };
      return scaleTargetRef ? [[scaleTargetRef.name, maxReplicas ?? maxReplicaCount] as const] : [];
    }),
  );
  const pods = workloadsOf(manifests).map(({ name, replicas }) => maximumOf.get(name) ?? replicas ?? Number.NaN);
  const sum = pods.reduce((one, other) => one + other, 0);
  const [database] = buildKustomization(join(root, 'k8s/infrastructure')).filter(({ kind }) => kind === 'Cluster');
  const { parameters } = (database?.spec as { postgresql: { parameters: { max_connections: string } } }).postgresql;
  expect(Number(parameters.max_connections)).toBeGreaterThanOrEqual(sum * 12 * 1.5);
});

it('each node of the Redis Cluster has a Kubernetes node of its own, so that no two of them are lost together', () => {
  const [redis] = workloadsOf(buildKustomization(join(root, 'k8s/infrastructure/redis-cluster'))).filter(
    ({ kind }) => kind === 'StatefulSet',
  );
  expect(redis?.replicas).toBe(6);
  expect(redis?.pod.topologySpreadConstraints).toContainEqual(
    expect.objectContaining({
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      maxSkew: 1,
      minDomains: redis?.replicas,
    }),
  );
});

it('the whole system on one machine, infrastructure included, is limited to 8 GiB, and two processors are enough', () => {
  const containers = workloadsOf(buildKustomization(join(root, 'k8s/overlays/local'))).flatMap(({ pod, replicas }) =>
    Array.from({ length: replicas ?? Number.NaN }, () => pod.containers).flat(),
  );
  expect(containers).toHaveLength(10);
  const sum = (amounts: number[]) => amounts.reduce((one, other) => one + other, 0);
  expect(sum(containers.map(({ resources }) => gibibytes(resources?.limits?.memory)))).toBeLessThanOrEqual(8);
  const processors = containers.map(({ resources }) => /^(\d+)m$/.exec(String(resources?.requests?.cpu))?.[1]);
  expect(sum(processors.map(Number))).toBeLessThanOrEqual(2_000);
});

it('the gateway of the local overlay, which clients reach without a proxy, does not let them choose their address', () => {
  const maps = buildKustomization(join(root, 'k8s/overlays/local')).filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('lanyard-gateway-'),
  );
  expect(maps).toEqual([expect.objectContaining({ data: expect.objectContaining({ GATEWAY_TRUSTED_PROXIES: '0' }) })]);
});

it('every Secret that a pod of the local overlay needs is made for it', () => {
  const wanted = new Set<string>();
  const collect = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    for (const [key, value] of Object.entries(node)) {
      const isReference = key === 'secretKeyRef' || key === 'secretRef' || key === 'secret';
      if (isReference && value.optional !== true)
        wanted.add([value.name ?? value.secretName, ...(value.key ? [value.key] : [])].join('/'));
      collect(value);
    }
  };
  buildKustomization(join(root, 'k8s/overlays/local')).forEach(collect);
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-secrets-'));
  execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), join(folder, '.env')]);
  const environment = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>;
  rmSync(folder, { recursive: true });
  const made = devSecrets(environment).flatMap(({ kind, metadata, stringData }) =>
    kind === 'Secret'
      ? [metadata.name, ...Object.keys(stringData as object).map((key) => `${metadata.name}/${key}`)]
      : [],
  );
  expect([...wanted].filter((name) => !made.includes(name))).toEqual([]);
  expect(wanted).toContain('postgresql-passwords');
});

it('a service that a second constraint spreads over zones is found out: on nodes without zones neither holds', () => {
  const manifests = buildKustomization(join(root, 'k8s/overlays/prod'));
  expect(coverageProblems(manifests)).toEqual([]);
  const [registry] = workloadsOf(manifests).filter(({ id }) => id.includes('registry'));
  const constraint = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'ScheduleAnyway' as const,
  };
  registry?.pod.topologySpreadConstraints?.push(constraint);
  expect(coverageProblems(manifests)).toEqual([expect.stringContaining('registry: is not spread over nodes')]);
});

it('an object that Argo CD would apply before what it refers to is found out', () => {
  const manifests = buildKustomization(join(root, 'k8s/overlays/prod'));
  expect(waveProblems(manifests)).toEqual([]);
  for (const { kind, metadata } of manifests)
    if (['ScaledObject', 'PersistentVolumeClaim'].includes(kind)) metadata.annotations = {};
  expect(waveProblems(manifests)).toEqual([
    expect.stringContaining('Deployment campaigns: is of wave 1, but PersistentVolumeClaim campaigns-packages'),
    expect.stringContaining('ScaledObject dispatcher: is of wave 0, but Deployment dispatcher'),
    expect.stringContaining('ScaledObject snapshot: is of wave 0, but Deployment snapshot'),
  ]);
});
