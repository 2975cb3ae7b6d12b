/** etcd, the API server, the controllers and the scheduler, in their own namespace. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../lanyard/probes.ts';
import { apiServerPort, certificatesFolder, kubeconfigOf } from './certificates.ts';
import { programPath } from './programs.ts';
import { serviceNetwork, podNetwork, type Plan } from './plan.ts';
import type { Kubectl } from './kubectl.ts';
import type { Namespace } from './namespaces.ts';

/** A node that is silent for this long is not ready; its pods are replaced after the same time again. */
const silentNodeSeconds = 20;

const etcdUrl = 'http://127.0.0.1:2379';
const peerUrl = 'http://127.0.0.1:2380';

const options = (all: Record<string, string | number | boolean>) =>
  Object.entries(all).map(([name, value]) => `--${name}=${value}`);

const etcd = ({ control }: Plan) => [
  'etcd',
  ...options({
    'data-dir': join(control.folder, 'etcd'),
    'listen-client-urls': etcdUrl,
    'advertise-client-urls': etcdUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
    // The data need not survive a failure of the machine, because the cluster does not.
    'unsafe-no-fsync': true,
  }),
];

export const apiServer = (plan: Plan) => {
  const file = (name: string) => join(certificatesFolder(plan), name);
  return [
    programPath('kube-apiserver'),
    ...options({
      'etcd-servers': etcdUrl,
      'service-cluster-ip-range': serviceNetwork,
      'secure-port': apiServerPort,
      'advertise-address': plan.control.address,
      'tls-cert-file': file('apiserver.crt'),
      'tls-private-key-file': file('apiserver.key'),
      'client-ca-file': file('ca.crt'),
      'service-account-key-file': file('service-accounts.pub'),
      'service-account-signing-key-file': file('service-accounts.key'),
      'service-account-issuer': 'https://kubernetes.default.svc',
      'authorization-mode': 'Node,RBAC',
      'kubelet-client-certificate': file('admin.crt'),
      'kubelet-client-key': file('admin.key'),
      // No DNS server resolves the names of nodes.
      'kubelet-preferred-address-types': 'InternalIP',
      'allow-privileged': true,
      'requestheader-client-ca-file': file('ca.crt'),
      'requestheader-allowed-names': 'front-proxy',
      'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
      'requestheader-group-headers': 'X-Remote-Group',
      'requestheader-username-headers': 'X-Remote-User',
      'proxy-client-cert-file': file('front.crt'),
      'proxy-client-key-file': file('front.key'),
      // There is no kube-proxy beside the API server, so it connects to pods, not to Services.
      'enable-aggregator-routing': true,
      'default-not-ready-toleration-seconds': silentNodeSeconds,
      'default-unreachable-toleration-seconds': silentNodeSeconds,
    }),
  ];
};

const controllerManager = (plan: Plan) => {
  const kubeconfig = kubeconfigOf(plan, 'controller-manager');
  return [
    programPath('kube-controller-manager'),
    ...options({
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'service-account-private-key-file': join(certificatesFolder(plan), 'service-accounts.key'),
      'root-ca-file': join(certificatesFolder(plan), 'ca.crt'),
      'use-service-account-credentials': true,
      'cluster-cidr': podNetwork,
      'leader-elect': false,
      'flex-volume-plugin-dir': join(plan.control.folder, 'volume-plugins'),
      'node-monitor-grace-period': `${silentNodeSeconds}s`,
    }),
  ];
};

const scheduler = (plan: Plan) => {
  const kubeconfig = kubeconfigOf(plan, 'scheduler');
  return [
    programPath('kube-scheduler'),
    ...options({
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'leader-elect': false,
    }),
  ];
};

/** Resolves when the API server answers. */
export const startControlPlane = async (plan: Plan, control: Namespace, kubectl: Kubectl) => {
  mkdirSync(join(plan.control.folder, 'logs'), { recursive: true });
  control.launch('etcd', etcd(plan), { ETCD_UNSUPPORTED_ARCH: process.arch });
  control.launch('kube-apiserver', apiServer(plan));
  await waitUntil('the API server', () => kubectl.answers('/readyz'), {
    timeoutMs: 180_000,
    alive: () => control.isAlive,
    hint: `See ${plan.control.folder}/logs`,
  });
  // If they started earlier, they would be refused, because their roles do not exist yet, and would end.
  control.launch('kube-controller-manager', controllerManager(plan));
  control.launch('kube-scheduler', scheduler(plan));
};
