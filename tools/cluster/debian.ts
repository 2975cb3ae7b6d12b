/** Debian's programs that a local cluster needs, beside those that are built. */
import { ensurePrograms } from '../images/programs.ts';
import { Stop } from '../lanyard/project.ts';

/** The package of each program. */
const needed = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  etcd: 'etcd-server',
  '/usr/lib/cni/ptp': 'containernetworking-plugins',
  iptables: 'iptables',
  conntrack: 'conntrack',
  ip: 'iproute2',
  sysctl: 'procps',
  unshare: 'util-linux',
  tar: 'tar',
};

/** Installs what is missing as root; for other users, throws Stop with what to install. */
export const ensureDebianPrograms = () => {
  if (process.platform !== 'linux')
    throw new Stop('A local cluster needs Linux: use --context with a cluster that runs.');
  ensurePrograms(needed);
  if (process.getuid?.() !== 0)
    throw new Stop('A local cluster needs root, for namespaces and mounts: sudo npm run cluster -- up');
};
