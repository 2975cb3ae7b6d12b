/** What the dev overlay needs on the local cluster: infrastructure and applications at this machine's address, certificates, packages that nodes share. */
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

const portOf = (address: string) => splitAddress(publicAddress(address), 0)[1];

/** Each server of the infrastructure by its name in tables, and the TCP port at which it listens. */
export const infrastructurePorts = ({ brokers, databaseUrl, redisUrl }: InfrastructureUrls) => ({
  kafka: portOf(brokers),
  postgresql: portOf(databaseUrl),
  redis: portOf(redisUrl),
});

/** The infrastructure is at an address, as docs/kubernetes.md says of servers outside the cluster. */
const infrastructurePolicies = (plan: Plan, infrastructure: InfrastructureUrls) => {
  const { kafka, postgresql, redis } = infrastructurePorts(infrastructure);
  const at = (...ports: number[]) => [
    replace('/spec/egress/0', {
      to: [{ ipBlock: { cidr: `${plan.host}/32` } }],
      ports: ports.map((port) => ({ protocol: 'TCP', port })),
    }),
  ];
  return [
    { target: { kind: 'NetworkPolicy', name: 'infrastructure' }, patch: at(postgresql, kafka) },
    { target: { kind: 'NetworkPolicy', name: 'redis' }, patch: at(redis) },
  ];
};

/**
 * All devices are at one address, that of this machine: their flows are spread, and each stays with the replica that got its first.
 * Of several nodes each takes datagrams for every replica, which hides the ports of devices: two at different replicas may seem
 * to be at one address, and the device-proxy then takes the later one for the owner of the address.
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
  ...infrastructurePolicies(plan, infrastructure),
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

/** Applications and devices come in at the nodes, without a balancer; callbacks are servers of this machine. */
export const localPolicies = ({ network }: Plan) => {
  const machines = [{ ipBlock: { cidr: network } }];
  return [
    policy('applications', 'gateway', { ingress: [{ from: machines, ports: [{ protocol: 'TCP', port: 8080 }] }] }),
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
