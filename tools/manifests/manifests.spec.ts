import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from 'rfc6902';
import { root } from '../lanyard/project.ts';
import { composeProblems, readDockerfile } from './compose.ts';
import { manifestEnvironmentProblems } from './environment.ts';
import { buildKustomization, type Manifest, patchManifest } from './kustomize.ts';
import { enginePortProblems } from './engine-ports.ts';
import { coverageProblems, migrationProblems, referenceProblems, workloadProblems } from './policies.ts';
import { scalingProblems } from './scaling.ts';
import { schemaProblems } from './schemas.ts';

const everyProblem = async (manifests: Manifest[]): Promise<string[]> => [
  ...workloadProblems(manifests),
  ...referenceProblems(manifests),
  ...coverageProblems(manifests),
  ...(await manifestEnvironmentProblems(manifests)),
  ...(await scalingProblems(manifests)),
  ...enginePortProblems(manifests),
];

/** `2m` of ingress-nginx; a unit that is not expected fails the test. */
const mebibytesOf = (size: string): number => Number(/^(\d+)m$/.exec(size)?.[1]);

const container = '/spec/template/spec/containers/0';

describe('the check of manifests', () => {
  let sound: Manifest[];

  beforeAll(() => {
    sound = buildKustomization(join(root, 'k8s/overlays/prod'));
  });

  /** The production overlay with one thing made wrong. */
  const broken = (kind: string, name: string, ...operations: Operation[]): Manifest[] => {
    const manifests = structuredClone(sound);
    const manifest = manifests.find((m) => m.kind === kind && m.metadata.name.startsWith(name));
    if (!manifest) throw new Error(`no ${kind} ${name}`);
    patchManifest(manifest as Manifest, operations);
    return manifests;
  };

  it('has nothing to say against what is committed', async () => {
    expect(await everyProblem(sound)).toEqual([]);
  });

  it('lets imports through as large as the gateway takes them, and other bodies only little larger than their limit', () => {
    const limits = sound
      .filter(({ kind }) => kind === 'Ingress')
      .flatMap(({ metadata, spec }) => {
        const size = metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '1m';
        const { rules } = spec as { rules: { http: { paths: { path: string }[] } }[] };
        return rules.flatMap(({ http }) => http.paths.map(({ path }) => [path, mebibytesOf(size)] as const));
      });
    const limitOf = new Map(limits);
    expect(limitOf.get('/v3/device-imports')).toBeGreaterThan(256);
    for (const path of ['/v2', '/v3']) {
      expect(limitOf.get(path)).toBeGreaterThan(1);
      expect(limitOf.get(path)).toBeLessThanOrEqual(2);
    }
  });

  it.each<[string, string, string, Operation]>([
    [
      'runs as root',
      'Deployment',
      'gateway',
      { op: 'remove', path: '/spec/template/spec/securityContext/runAsNonRoot' },
    ],
    ['may escalate', 'Deployment', 'registry', { op: 'remove', path: `${container}/securityContext` }],
    ['has no memory limit', 'StatefulSet', 'device-proxy', { op: 'remove', path: `${container}/resources/limits` }],
    ['has no readiness probe', 'Deployment', 'snapshot', { op: 'remove', path: `${container}/readinessProbe` }],
    [
      'liveness on /readyz',
      'Deployment',
      'snapshot',
      { op: 'replace', path: `${container}/livenessProbe/httpGet/path`, value: '/readyz' },
    ],
    [
      'is not pinned',
      'Deployment',
      'gateway',
      { op: 'replace', path: `${container}/image`, value: 'lanyard-gateway:latest' },
    ],
    [
      'less than 30 s to stop',
      'Deployment',
      'dispatcher',
      { op: 'replace', path: '/spec/template/spec/terminationGracePeriodSeconds', value: 30 },
    ],
    [
      'mounts a folder of its node',
      'StatefulSet',
      'device-proxy',
      { op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 'x', hostPath: { path: '/' } } },
    ],
    [
      'is not spread',
      'Deployment',
      'event-log',
      { op: 'remove', path: '/spec/template/spec/topologySpreadConstraints' },
    ],
    [
      'no default deny',
      'NetworkPolicy',
      'default-deny',
      { op: 'replace', path: '/spec/policyTypes', value: ['Ingress'] },
    ],
    [
      'NetworkPolicy callbacks: selects no pod',
      'NetworkPolicy',
      'callbacks',
      { op: 'replace', path: '/spec/podSelector/matchLabels', value: { app: 'dispatcher' } },
    ],
    [
      'no container has a port',
      'Service',
      'devices-tls',
      { op: 'replace', path: '/spec/ports/0/targetPort', value: 'coap' },
    ],
    [
      'no disruption budget',
      'PodDisruptionBudget',
      'registry',
      { op: 'replace', path: '/spec/selector/matchLabels', value: { 'app.kubernetes.io/name': 'gateway' } },
    ],
    ['sets replicas itself', 'Deployment', 'gateway', { op: 'add', path: '/spec/replicas', value: 2 }],
    [
      'there is no Service door',
      'Ingress',
      'gateway',
      { op: 'replace', path: '/spec/rules/0/http/paths/0/backend/service/name', value: 'door' },
    ],
    [
      'gateway does not read GATEWAY_URLS',
      'ConfigMap',
      'lanyard-gateway',
      { op: 'add', path: '/data/GATEWAY_URLS', value: 'http://a' },
    ],
    [
      'GATEWAY_REGISTRY_URLS is not set',
      'ConfigMap',
      'lanyard-gateway',
      { op: 'remove', path: '/data/GATEWAY_REGISTRY_URLS' },
    ],
    [
      'DEVICE_PROXY_COAP_TLS_PORT',
      'ConfigMap',
      'lanyard-device-proxy',
      { op: 'replace', path: '/data/DEVICE_PROXY_COAP_TLS_PORT', value: 'x' },
    ],
    [
      'DATABASE_URL is not set',
      'Deployment',
      'registry',
      { op: 'replace', path: `${container}/env/1/name`, value: 'DATABASE_URI' },
    ],
    [
      'REPLICA_ID is not the name of the pod',
      'Deployment',
      'registry',
      { op: 'replace', path: `${container}/env/0`, value: { name: 'REPLICA_ID', value: 'registry-0' } },
    ],
    [
      'KAFKA_TLS_CA_FILE names /etc/ca.crt, where nothing is mounted',
      'ConfigMap',
      'lanyard-common',
      { op: 'replace', path: '/data/KAFKA_TLS_CA_FILE', value: '/etc/ca.crt' },
    ],
    ['KAFKA_SASL_USERNAME', 'Deployment', 'event-log', { op: 'remove', path: `${container}/env/3` }],
    [
      'snapshot does not read ENCRYPTION_KEY',
      'Deployment',
      'snapshot',
      {
        op: 'add',
        path: `${container}/env/-`,
        value: {
          name: 'ENCRYPTION_KEY',
          valueFrom: { secretKeyRef: { name: 'snapshot-secrets', key: 'ENCRYPTION_KEY' } },
        },
      },
    ],
    [
      'takes IDENTITY_PUBLIC_KEYS from gateway-secrets',
      'Deployment',
      'registry',
      { op: 'replace', path: `${container}/env/2/valueFrom/secretKeyRef/name`, value: 'gateway-secrets' },
    ],
    [
      'k8s/secrets/registry.example.env has ENCRYPTION_KEY, which is not used',
      'Deployment',
      'registry',
      { op: 'remove', path: `${container}/env/3` },
    ],
    [
      'no policy lets event-log reach port 9094',
      'ConfigMap',
      'lanyard-common',
      { op: 'replace', path: '/data/KAFKA_BROKERS', value: 'kafka.lanyard-infrastructure.svc:9094' },
    ],
    [
      'no policy lets registry reach port 4318',
      'NetworkPolicy',
      'traces',
      { op: 'replace', path: '/spec/egress/0/ports/0/port', value: 4317 },
    ],
    [
      'ScaledObject snapshot: asks another broker than the services',
      'ScaledObject',
      'snapshot',
      { op: 'replace', path: '/spec/triggers/0/metadata/bootstrapServers', value: 'kafka:9092' },
    ],
    [
      'ScaledObject snapshot: docs/capacity.md does not say why lagThreshold: 7',
      'ScaledObject',
      'snapshot',
      { op: 'replace', path: '/spec/triggers/0/metadata/lagThreshold', value: '7' },
    ],
    [
      'ScaledObject snapshot: asks without the login',
      'ScaledObject',
      'snapshot',
      { op: 'remove', path: '/spec/triggers/0/authenticationRef' },
    ],
    [
      'watches dispatcher, a group that does not exist',
      'ScaledObject',
      'dispatcher',
      { op: 'replace', path: '/spec/triggers/0/metadata/consumerGroup', value: 'dispatcher' },
    ],
    [
      'does not watch event-log.device.sessions',
      'ScaledObject',
      'event-log',
      { op: 'remove', path: '/spec/triggers/0' },
    ],
  ])('says: %s', async (problem, kind, name, operation) => {
    const problems = await everyProblem(broken(kind, name, operation));
    expect(problems.join('\n')).toContain(problem);
  });

  it('knows Jobs that migrate: no probes, their own variables, the images of the services', async () => {
    const jobs = buildKustomization(join(root, 'k8s/overlays/prod/migrations'));
    expect([
      ...workloadProblems(jobs),
      ...(await manifestEnvironmentProblems(jobs)),
      ...migrationProblems(sound, jobs),
    ]).toEqual([]);
    const [first] = jobs;
    patchManifest(first as Manifest, [
      { op: 'replace', path: `${container}/image`, value: 'registry.example.com/lanyard/gateway:0.0.9' },
      { op: 'add', path: `${container}/env/-`, value: { name: 'HTTP_PORT', value: '1' } },
    ]);
    expect((await manifestEnvironmentProblems(jobs)).join()).toMatch(/gateway migrate does not read HTTP_PORT/);
    expect(migrationProblems(sound, jobs).join()).toMatch(/gateway runs .*0\.1\.0.*0\.0\.9/);
  });

  it('knows the schemas: wrong values, and fields that do not exist', async () => {
    const wrong = structuredClone(sound);
    const set = (kind: string, name: string, operation: Operation): void => {
      const manifest = wrong.find((m) => m.kind === kind && m.metadata.name === name);
      patchManifest(manifest as Manifest, [operation]);
    };
    set('Deployment', 'gateway', { op: 'replace', path: '/spec/minReadySeconds', value: 'ten' });
    set('Deployment', 'registry', { op: 'add', path: '/spec/template/spec/terminationGraceSeconds', value: 60 });
    set('ScaledObject', 'snapshot', { op: 'remove', path: '/spec/scaleTargetRef' });
    set('ScaledObject', 'dispatcher', { op: 'add', path: '/spec/maxReplicas', value: 8 });
    const text = (await schemaProblems(wrong)).join('\n');
    expect(text).toMatch(/Deployment gateway: .*minReadySeconds/);
    expect(text).toMatch(/Deployment registry: .*terminationGraceSeconds/);
    expect(text).toMatch(/ScaledObject snapshot: .*scaleTargetRef/);
    expect(text).toMatch(/ScaledObject dispatcher: .*maxReplicas/);
    expect(await schemaProblems(sound)).toEqual([]);
  });

  it('knows what it cannot judge', async () => {
    const [manifest] = await schemaProblems([{ apiVersion: 'x.example/v1', kind: 'X', metadata: { name: 'x' } }]);
    expect(manifest).toBe('X x: no schema for x.example/v1');
  });
});

it('the script for Docker Compose makes every secret of the file, and changes none that is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-compose-'));
  const file = join(folder, '.env');
  const run = (): string => {
    execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), file]);
    return readFileSync(file, 'utf8');
  };
  writeFileSync(file, 'REDIS_PASSWORD=mine', { mode: 0o600 });
  const made = run();
  expect(run()).toBe(made);
  rmSync(folder, { recursive: true });
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const wanted = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const names = [...made.matchAll(/^(\w+)=\S+$/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([...new Set(wanted)].toSorted());
  expect(made).toMatch(/^REDIS_PASSWORD=mine\n/);
});

describe('the check of images and of the compose file', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const { targets } = readDockerfile(dockerfile);

  it('has nothing to say against what is committed', async () => {
    expect(readDockerfile(dockerfile).problems).toEqual([]);
    expect(await composeProblems(compose, targets)).toEqual([]);
  });

  it.each([
    ['neither a stage nor a pinned image', 'FROM ${NODE_IMAGE} AS build', 'FROM node:20 AS build'],
    ['names no exact version', 'node:24.20.0-bookworm-slim', 'node:24-slim'],
    ['fetches with ADD', 'COPY . .', 'ADD https://example.com/x .'],
    ['installs packages of a system', 'RUN npm ci', 'RUN apt-get install x && npm ci'],
    ['does not install from the lock file', 'npm ci', 'npm install'],
    ['holds a secret', 'ENV CI=true', 'ENV NPM_TOKEN=x CI=true'],
    ['no user other than root', 'USER 65532:65532', 'USER 0:0'],
    ['has no target snapshot', 'AS snapshot', 'AS snapshots'],
    ['needs curl', 'CMD ["/usr/local/bin/node", "/app/healthcheck.mjs"]', 'CMD ["curl", "localhost"]'],
  ])('Dockerfile: %s', (problem, from, to) => {
    expect(dockerfile).toContain(from);
    expect(readDockerfile(dockerfile.replace(from, to)).problems.join('\n')).toContain(problem);
  });

  it.each([
    [
      'has a secret written into the file',
      'POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?run node deploy/compose/secrets.mjs}',
      'POSTGRES_PASSWORD: x',
    ],
    [
      'snapshot does not read REDIS_URL',
      '[*environment, *identity]\n      REPLICA_ID: snapshot-0',
      '[*environment, *identity, *redis]\n      REPLICA_ID: snapshot-0',
    ],
    ['registry does not start with it', '[*environment, *identity, *encryption]', '[*environment, *identity]'],
    ['gateway does not read GATEWAY_KEY_FILE', 'GATEWAY_FIRST_KEY_FILE:', 'GATEWAY_KEY_FILE:'],
    ['device-proxy does not start with it', "DEVICE_PROXY_COAP_PORT: '5683'", 'DEVICE_PROXY_COAP_PORT: coap'],
    ['listens on more than loopback', '127.0.0.1:8080:8080', '8080:8080'],
    ['can write to its root', 'read_only: true', 'read_only: false'],
    ['is built from door, no target', 'target: gateway', 'target: door'],
    ['kafka has no healthcheck', 'test: [CMD-SHELL', 'tests: [CMD-SHELL'],
    ['/services/gateway Unrecognized key: "readonly"', 'read_only: true', 'readonly: true'],
    ['/services/device/stop_signal', 'stop_signal: SIGINT', 'stop_signal: 2'],
    ['/services/postgresql/healthcheck', 'interval: 2s', 'interval: 2'],
    ['registry has no database user of its own', 'postgres://lanyard_registry:', 'postgres://lanyard_gateway:'],
    ['postgresql has an undeclared volume', './deploy/postgresql/users.sql:', './deploy/postgresql/user.sql:'],
    ['redis has an image without an exact version', 'image: redis:7.4.6', 'image: redis:7'],
  ])('docker-compose.yml: %s', async (problem, from, to) => {
    expect(compose).toContain(from);
    expect((await composeProblems(compose.replace(from, to), targets)).join('\n')).toContain(problem);
  });
});
