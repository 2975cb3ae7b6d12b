/** Debian's programs that a local cluster consists of, beside those that are built. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { say, Stop } from '../lanyard/project.ts';

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

const missingPackages = () => [
  ...new Set(needed.filter(({ program }) => !isInstalled(program)).map((one) => one.package)),
];

/** Root installs what is missing; anyone else is told what to install. Throws Stop. */
export const ensureDebianPrograms = () => {
  if (process.platform !== 'linux')
    throw new Stop('A local cluster needs Linux: use --context with a cluster that runs.');
  const missing = missingPackages();
  const isRoot = process.getuid?.() === 0;
  const command = ['apt-get', 'install', '--yes', '--no-install-recommends', ...missing];
  if (missing.length > 0) {
    if (!isRoot) throw new Stop(`Missing on this machine: sudo ${command.join(' ')}`);
    say(`installing ${missing.join(', ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [
      ['-qq', 'update'],
      ['-qq', ...command.slice(1)],
    ])
      spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    const still = missingPackages();
    if (still.length > 0) throw new Stop(`These could not be installed: ${still.join(', ')}. Try ${command.join(' ')}`);
  }
  if (!isRoot) throw new Stop('A local cluster needs root, for namespaces and mounts: sudo npm run cluster -- up');
};
