/** Lanyard's dev overlay for a cluster: infrastructure outside of the cluster, ports on its nodes, Secrets. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../lanyard/project.ts';
import {
  apps,
  usersOfEncryptionKey,
  usersOfRedis,
  type App,
  type InfrastructureUrls,
  type Secrets,
} from '../lanyard/service-processes.ts';

export const namespace = 'lanyard';

/** As kubectl names it. */
export const workloadOf = (app: App) => `${app === 'device-proxy' ? 'statefulset' : 'deployment'}/${app}`;

/** Ports on every node. The port of the devices themselves is in the overlay. */
export const nodePorts = { http: 30080, coap: 30683, coaps: 30684 };

const withoutTls = (server: string) => [`${server}_TLS_ENABLED=false`, `${server}_TLS_CA_FILE=`];

/** Settings that a caller adds to those of the infrastructure, by service. */
export type Settings = Partial<Record<App, string[]>>;

const literals = (infrastructure: Pick<InfrastructureUrls, 'brokers'>, own: Settings): Record<string, string[]> => ({
  common: [
    'LOG_LEVEL=info',
    `KAFKA_BROKERS=${infrastructure.brokers}`,
    'KAFKA_SASL_MECHANISM=',
    ...withoutTls('KAFKA'),
    ...withoutTls('DATABASE'),
  ],
  // Clients connect to the nodes: no proxy is in front that X-Forwarded-For could come from.
  gateway: [...withoutTls('REDIS'), 'GATEWAY_TRUSTED_PROXIES=0', ...(own.gateway ?? [])],
  dispatcher: [...withoutTls('REDIS'), ...(own.dispatcher ?? [])],
  campaigns: own.campaigns ?? [],
  'device-proxy': [
    ...withoutTls('REDIS'),
    ...(own['device-proxy'] ?? []),
    ...['DTLS', 'TLS'].flatMap((kind) => [
      `DEVICE_PROXY_COAP_${kind}_ENABLED=true`,
      `DEVICE_PROXY_COAP_${kind}_HOST=0.0.0.0`,
      `DEVICE_PROXY_COAP_${kind}_PORT=5684`,
    ]),
  ],
});

const add = (path: string, value: unknown) => ({ op: 'add', path, value });

const container = '/spec/template/spec/containers/0';

interface Patch {
  target: { kind: string; name: string };
  patch: object[];
}

const patches = (): Patch[] => [
  {
    target: { kind: 'StatefulSet', name: 'device-proxy' },
    patch: [
      add(`${container}/ports/-`, { name: 'coaps', protocol: 'TCP', containerPort: 5684 }),
      add(`${container}/ports/-`, { name: 'coaps-udp', protocol: 'UDP', containerPort: 5684 }),
      add(`${container}/env/-`, {
        name: 'DEVICE_PROXY_PEER_HOST',
        valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
      }),
    ],
  },
  {
    target: { kind: 'Service', name: 'gateway' },
    patch: [add('/spec/type', 'NodePort'), add('/spec/ports/0/nodePort', nodePorts.http)],
  },
];

/** @param folder to which the kustomization is written */
export const kustomization = (
  folder: string,
  {
    infrastructure,
    settings = {},
    images = (app) => ({ newName: `lanyard-${app}`, newTag: 'dev' }),
    more = [],
  }: {
    infrastructure: Pick<InfrastructureUrls, 'brokers'>;
    settings?: Settings;
    images?: (app: App) => { newName: string; newTag: string };
    /** Patches for a particular cluster. */
    more?: Patch[];
  },
) => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  namespace,
  resources: [relative(folder, join(root, 'k8s/overlays/dev')), 'objects.yaml'],
  images: apps.map((app) => ({ name: `lanyard-${app}`, ...images(app) })),
  configMapGenerator: Object.entries(literals(infrastructure, settings)).map(([name, own]) => ({
    name: `lanyard-${name}`,
    behavior: 'merge',
    literals: own,
  })),
  patches: [...patches(), ...more].map(({ target, patch }) => ({ target, patch: JSON.stringify(patch) })),
});

/** DTLS and TLS use the same port number. */
export const devicesService = () => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'devices-coaps', labels: { 'app.kubernetes.io/name': 'device-proxy' } },
  spec: {
    type: 'NodePort',
    selector: { 'app.kubernetes.io/name': 'device-proxy' },
    ports: [
      { name: 'coaps', protocol: 'TCP', port: 5684, targetPort: 'coaps', nodePort: nodePorts.coaps },
      { name: 'coaps-udp', protocol: 'UDP', port: 5684, targetPort: 'coaps-udp', nodePort: nodePorts.coaps },
    ],
  },
});

/** A folder for `kubectl apply -k`, with objects beside the overlay's. */
export const writeOverlay = (
  folder: string,
  options: Parameters<typeof kustomization>[1],
  objects: readonly object[] = [],
) => {
  mkdirSync(folder, { recursive: true });
  const documents = [devicesService(), ...objects].map((object) => JSON.stringify(object, null, 2));
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization(folder, options), null, 2));
  writeFileSync(join(folder, 'objects.yaml'), documents.join('\n---\n'));
};

/** One Secret per service, with the values that it reads. */
export const secretsOfServices = (infrastructure: InfrastructureUrls, secrets: Secrets) =>
  apps.map((app) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${app}-secrets`, namespace },
    stringData: {
      DATABASE_URL: infrastructure.databaseUrls?.[app] ?? infrastructure.databaseUrl,
      ...(usersOfRedis.has(app) && { REDIS_URL: infrastructure.redisUrl }),
      ...(app === 'gateway'
        ? { IDENTITY_PRIVATE_KEY: secrets.identityPrivateKey }
        : { IDENTITY_PUBLIC_KEYS: secrets.identityPublicKey }),
      ...(usersOfEncryptionKey.has(app) && { ENCRYPTION_KEY: secrets.encryptionKey }),
    },
  }));

/** The volume for the claim of campaigns: a folder of this machine, which is created, and which all nodes see. */
export const packagesVolume = (path: string) => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'packages' },
    spec: {
      capacity: { storage: '100Gi' },
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path, type: 'DirectoryOrCreate' },
      claimRef: { namespace, name: 'campaigns-packages' },
    },
  };
};
