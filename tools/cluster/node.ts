/** One node: containerd, kubelet and kube-proxy, with the files that configure them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../lanyard/probes.ts';
import { succeeds } from '../lanyard/programs.ts';
import { certificatesFolder, kubeconfigOf } from './certificates.ts';
import { cgroupOf, makeCgroups } from './cgroups.ts';
import { dnsService, podNetwork, type Member, type Plan } from './plan.ts';
import { programPath } from './programs.ts';
import type { Namespace } from './namespaces.ts';

export const pauseImage = 'localhost/lanyard/pause:1';

/** Path in the node's own /run. */
const socket = '/run/containerd/containerd.sock';

export const containerdConfig = ({ folder }: Member) => `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "${pauseImage}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`;

/** Point to point, so that traffic between two pods of the same node passes the rules of Services too. */
export const podNetworkConfig = ({ folder, pods }: Member) => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: {
        type: 'host-local',
        dataDir: join(folder, 'addresses'),
        ranges: [[{ subnet: pods }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

export const kubeletConfig = (plan: Plan, { name, folder }: Member) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: join(certificatesFolder(plan), 'ca.crt') },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: join(certificatesFolder(plan), `${name}.crt`),
  tlsPrivateKeyFile: join(certificatesFolder(plan), `${name}.key`),
  clusterDNS: [dnsService],
  clusterDomain: 'cluster.local',
  containerRuntimeEndpoint: `unix://${socket}`,
  // A kubelet ends pods that it finds but does not know, so each node has its own branch.
  cgroupRoot: `${cgroupOf(plan)}/${name}`,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  oomScoreAdj: 0,
  maxPods: 60,
  podLogsDir: join(folder, 'pods'),
  volumePluginDir: join(folder, 'volume-plugins'),
  resolvConf: join(folder, 'resolv.conf'),
  // The disk of this machine does not belong to the cluster alone.
  evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 100,
});

const writeConfiguration = (plan: Plan, member: Member) => {
  const { folder } = member;
  for (const part of ['logs', 'cni', 'kubelet', 'pods']) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'containerd.toml'), containerdConfig(member));
  writeFileSync(join(folder, 'cni/10-pods.conflist'), JSON.stringify(podNetworkConfig(member)));
  writeFileSync(join(folder, 'kubelet.yaml'), JSON.stringify(kubeletConfig(plan, member), null, 2));
  // Names outside the cluster are not resolved, because no program in it needs them.
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
};

const kubelet = (plan: Plan, { name, address, folder }: Member) => [
  programPath('kubelet'),
  `--config=${folder}/kubelet.yaml`,
  `--kubeconfig=${kubeconfigOf(plan, name)}`,
  `--hostname-override=${name}`,
  `--node-ip=${address}`,
  `--root-dir=${folder}/kubelet`,
];

const kubeProxy = (plan: Plan, { name }: Member) => [
  programPath('kube-proxy'),
  `--kubeconfig=${kubeconfigOf(plan, 'proxy')}`,
  `--hostname-override=${name}`,
  `--cluster-cidr=${podNetwork}`,
  '--proxy-mode=iptables',
  // These limits are the machine's, and namespaces may not change them.
  '--conntrack-max-per-core=0',
  '--conntrack-tcp-timeout-established=0',
  '--conntrack-tcp-timeout-close-wait=0',
];

/** Starts a node in its namespace, which must be connected. The node is ready some seconds later. */
export const startNode = async (plan: Plan, node: Namespace, pauseArchive: string) => {
  const { member } = node;
  writeConfiguration(plan, member);
  makeCgroups(plan, member);
  node.launch('containerd', ['containerd', '--config', join(member.folder, 'containerd.toml')]);
  const answers = async () => succeeds('nsenter', node.enter(['ctr', '--address', socket, 'version']));
  await waitUntil(`containerd of ${member.name}`, answers, { hint: `See ${member.folder}/logs/containerd.log` });
  importImages(node, pauseArchive);
  node.launch('kubelet', kubelet(plan, member));
  node.launch('kube-proxy', kubeProxy(plan, member));
};

const ctr = (node: Namespace, ...args: string[]) =>
  node.run('ctr', '--address', socket, '--namespace', 'k8s.io', ...args);

/** @param archive in the format of `docker save`, also of several images */
export const importImages = (node: Namespace, archive: string) => ctr(node, 'images', 'import', archive);

export const tagImage = (node: Namespace, from: string, to: string) => ctr(node, 'images', 'tag', '--force', from, to);
