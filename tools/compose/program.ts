/** docker compose or podman-compose, and the configuration that podman needs on a bare machine. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Builder, chooseBuilder, ensurePrograms } from '../images/programs.ts';
import { outputOf, succeeds } from '../lanyard/programs.ts';
import { dataFolder, Stop } from '../lanyard/project.ts';
import { podmanCompose } from '../lanyard/python-packages.ts';

export interface ComposeProgram {
  builder: Exclude<Builder, 'buildah'>;
  command: string;
  /** Arguments before those of the caller. */
  first: string[];
}

/** The first two let containers find each other by name; the third is the init process. */
const helpersOfPodman = { netavark: 'netavark', 'aardvark-dns': 'aardvark-dns', catatonit: 'catatonit' };

/** Podman itself sets no higher limit for processes, and this many open files are enough. */
const limitMax = 32_768;

/** Keeps within the limits of this process: raising one needs a privilege that root in a container or on a small machine may lack. */
const ownLimits = () => {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string) => new RegExp(`^${name} +\\S+ +(\\S+)`, 'm').exec(text)?.[1];
  return Object.entries({ nofile: 'Max open files', nproc: 'Max processes' }).flatMap(([limit, name]) => {
    const value = Math.min(Number(hard(name)?.replace('unlimited', 'Infinity')), limitMax);
    return Number.isNaN(value) ? [] : [`"${limit}=${value}:${value}"`];
  });
};

/** Settings of this process' podman, unless the machine has its own. */
const configurePodman = () => {
  if (process.env.CONTAINERS_CONF !== undefined || existsSync('/etc/containers/containers.conf')) return;
  const isFirstVersion = outputOf('podman', ['info', '--format', '{{.Host.CgroupsVersion}}']).trim() === 'v1';
  // If both versions of control groups are mounted, crun assumes the second one.
  const runtime = isFirstVersion && succeeds('runc', ['--version']) ? 'runtime = "runc"\n' : '';
  const folder = join(dataFolder(), 'compose');
  const path = join(folder, 'containers.conf');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path,
    `[containers]\ndefault_ulimits = [${ownLimits().join(', ')}]\n[engine]\n${runtime}[network]\nnetwork_backend = "netavark"\n`,
  );
  process.env.CONTAINERS_CONF = path;
};

export const findCompose = async (): Promise<ComposeProgram> => {
  const found = chooseBuilder(undefined);
  if (found === 'docker') {
    if (!succeeds('docker', ['compose', 'version']))
      throw new Stop('Docker has no compose plugin here: install docker-compose-plugin.');
    return { builder: 'docker', command: 'docker', first: ['compose'] };
  }
  ensurePrograms({ podman: 'podman', ...helpersOfPodman });
  configurePodman();
  return { builder: 'podman', command: podmanCompose(), first: [] };
};
