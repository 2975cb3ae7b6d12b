/** Additions to the dev overlay for the local cluster: infrastructure and applications on this machine, certificates, shared packages. */
import type { Certified } from '@lanyard/testing';
import { publicAddress } from '../lanyard/infrastructure.ts';
import { splitAddress } from '../lanyard/probes.ts';
import { namespace } from './overlay.ts';
import type { InfrastructureUrls } from '../lanyard/service-processes.ts';
import type { Plan } from './plan.ts';

const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });

/** As in `overlays/prod`. */
export const certificateSettings = ['DTLS', 'TLS'].flatMap((kind) => [
  `DEVICE_PROXY_COAP_${kind}_CERTIFICATE_FILE=/etc/lanyard/tls/tls.crt`,
  `DEVICE_PROXY_COAP_${kind}_PRIVATE_KEY_FILE=/etc/lanyard/tls/tls.key`,
]);

/** 0440: the key is read by the group of the pod. */
const secretMode = 0o440;

const certificatePatch = {
  target: { kind: 'StatefulSet', name: 'device-proxy' },
  patch: [
    add('/spec/template/spec/containers/0/volumeMounts/-', {
      name: 'tls',
      mountPath: '/etc/lanyard/tls',
      readOnly: true,
    }),
    add('/spec/template/spec/volumes/-', {
      name: 'tls',
      secret: { secretName: 'device-proxy-tls', defaultMode: secretMode },
    }),
  ],
};

/** All nodes see the folder of this machine, so that campaigns may have replicas. */
const packagesPatches = [
  {
    target: { kind: 'PersistentVolumeClaim', name: 'campaigns-packages' },
    patch: [replace('/spec/accessModes', ['ReadWriteMany'])],
  },
  {
    target: { kind: 'Deployment', name: 'campaigns' },
    patch: [replace('/spec/strategy', { type: 'RollingUpdate' })],
  },
];

const portOf = (address: string, usual: number) => splitAddress(publicAddress(address), usual)[1];

/** The TCP port of each server of the infrastructure, by its name in tables. */
export const infrastructurePorts = ({ brokers, databaseUrl, redisUrl }: InfrastructureUrls) => ({
  kafka: portOf(brokers, 9092),
  postgresql: portOf(databaseUrl, 5432),
  redis: portOf(redisUrl, 6379),
});

/**
 * Policies for infrastructure outside the cluster (docs/kubernetes.md).
 * @param address of all servers; undefined if they have names, which policies cannot contain, so that every address is allowed
 */
export const infrastructurePolicies = (infrastructure: InfrastructureUrls, address?: string) => {
  const { kafka, postgresql, redis } = infrastructurePorts(infrastructure);
  const at = (...ports: number[]) => [
    replace('/spec/egress/0', {
      ...(address !== undefined && { to: [{ ipBlock: { cidr: `${address}/32` } }] }),
      ports: ports.map((port) => ({ protocol: 'TCP', port })),
    }),
  ];
  return [
    { target: { kind: 'NetworkPolicy', name: 'infrastructure' }, patch: at(postgresql, kafka) },
    { target: { kind: 'NetworkPolicy', name: 'redis' }, patch: at(redis) },
  ];
};

/**
 * All devices have one address, that of this machine: their flows are spread, and each stays with the replica of its first
 * datagram. With several nodes, each node accepts datagrams for every replica, which hides the ports of devices: two devices at
 * different replicas may seem to have the same address, and the device-proxy then takes the later one for its owner.
 */
const devicesPatch = ({ nodes }: Plan) => ({
  target: { kind: 'Service', name: 'devices-udp' },
  patch: [
    replace('/spec/sessionAffinity', 'None'),
    { op: 'remove', path: '/spec/sessionAffinityConfig' },
    ...(nodes.length > 1 ? [replace('/spec/externalTrafficPolicy', 'Cluster')] : []),
  ],
});

export const localPatches = (plan: Plan, infrastructure: InfrastructureUrls) => [
  certificatePatch,
  devicesPatch(plan),
  ...packagesPatches,
  ...infrastructurePolicies(infrastructure, plan.host),
];

const policy = (name: string, app: string, spec: { ingress?: unknown[]; egress?: unknown[] }) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': app } },
    policyTypes: [...(spec.ingress ? ['Ingress'] : []), ...(spec.egress ? ['Egress'] : [])],
    ...spec,
  },
});

/**
 * Applications and devices connect to the nodes directly, without a load balancer.
 * @param from the addresses of applications; undefined: any
 */
export const nodePortPolicies = (from?: object[]) => {
  const applications = { ...(from && { from }), ports: [{ protocol: 'TCP', port: 8080 }] };
  return [
    policy('applications', 'gateway', { ingress: [applications] }),
    policy('devices', 'device-proxy', {
      ingress: [{ ports: ['TCP', 'UDP'].map((protocol) => ({ protocol, port: 5684 })) }],
    }),
    policy('devices-forwarded', 'device-proxy', {
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'device-proxy' } } }],
          ports: [{ protocol: 'UDP', port: 5685 }],
        },
      ],
    }),
  ];
};

/** Callbacks are servers of this machine. */
export const localPolicies = ({ network }: Plan) => {
  const machines = [{ ipBlock: { cidr: network } }];
  return [
    ...nodePortPolicies(machines),
    policy('local-callbacks', 'dispatcher', {
      egress: [{ to: machines, ports: [{ protocol: 'TCP', port: 1, endPort: 65_535 }] }],
    }),
  ];
};

export const certificateSecret = ({ certificate, privateKey }: Certified, name = 'device-proxy-tls') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  type: 'kubernetes.io/tls',
  stringData: { 'tls.crt': certificate, 'tls.key': privateKey },
});
