/** Debian's programs that a local cluster needs, beside those that are built. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { installPackages } from '../lanyard/programs.ts';
import { Stop } from '../lanyard/project.ts';

const needed: { program: string; package: string }[] = [
  { program: 'containerd', package: 'containerd' },
  { program: 'ctr', package: 'containerd' },
  { program: 'runc', package: 'runc' },
  { program: 'etcd', package: 'etcd-server' },
  { program: '/usr/lib/cni/ptp', package: 'containernetworking-plugins' },
  { program: 'iptables', package: 'iptables' },
  { program: 'conntrack', package: 'conntrack' },
  { program: 'ip', package: 'iproute2' },
  { program: 'sysctl', package: 'procps' },
  { program: 'unshare', package: 'util-linux' },
  { program: 'tar', package: 'tar' },
];

const isInstalled = (program: string) =>
  program.startsWith('/')
    ? existsSync(program)
    : spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;

/** Installs what is missing as root; for other users, throws Stop with what to install. */
export const ensureDebianPrograms = () => {
  if (process.platform !== 'linux')
    throw new Stop('A local cluster needs Linux: use --context with a cluster that runs.');
  const missing = needed.filter(({ program }) => !isInstalled(program));
  if (missing.length > 0) installPackages(missing.map((one) => one.package));
  if (process.getuid?.() !== 0)
    throw new Stop('A local cluster needs root, for namespaces and mounts: sudo npm run cluster -- up');
};
