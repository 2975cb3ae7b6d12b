/** The programs that build images: found, or installed from Debian's packages where this process may. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { progress, say, Stop } from '../lanyard/project.ts';

export const builders = ['docker', 'podman', 'buildah'] as const;
export type Builder = (typeof builders)[number];

const succeeds = (program: string, args: string[], timeout: number) => {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore', timeout });
  return error === undefined && status === 0;
};

/** A docker command alone is not enough: its daemon may be away. */
const works: Record<Builder, () => boolean> = {
  docker: () => succeeds('docker', ['info', '--format', '{{.ServerVersion}}'], 10_000),
  podman: () => succeeds('podman', ['info'], 30_000),
  buildah: () => succeeds('buildah', ['info'], 30_000),
};

/** Podman looks for its helpers in folders of its own. */
const isThere = (program: string) =>
  ['/usr/libexec/podman', '/usr/lib/podman'].some((folder) => existsSync(join(folder, program))) ||
  succeeds('which', [program], 5_000);

/** Installs what is missing as root; otherwise throws Stop with the command. */
export const ensurePrograms = (packages: Record<string, string>) => {
  const missing = Object.keys(packages).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packages[program] as string))];
  const command = `apt-get install -y --no-install-recommends ${names.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Stop(`Missing: ${missing.join(', ')}. Install them: sudo ${command}`);
  say(command);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => spawnSync('sh', ['-c', command], { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (install().status === 0) return;
  // The lists of packages may be missing or old.
  spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (install().status !== 0) throw new Stop(`This failed: ${command}`);
};

/** @param wanted by its name; otherwise the first that works, and podman is installed where none does */
export const chooseBuilder = (wanted: string | undefined): Builder => {
  if (wanted !== undefined) {
    const named = builders.find((name) => name === wanted);
    if (!named) throw new Stop(`--tool takes ${builders.join(', ')}, not "${wanted}"`);
    if (named !== 'docker') ensurePrograms({ [named]: named });
    if (!works[named]()) throw new Stop(`${named} does not work here: see what \`${named} info\` says`);
    return named;
  }
  const found = builders.find((name) => works[name]());
  if (found) return found;
  ensurePrograms({ podman: 'podman', buildah: 'buildah' });
  return chooseBuilder('podman');
};

/** Its output is progress; throws Stop where it fails. */
export const runStep = async (program: string, args: string[]) => {
  const child = spawn(program, args, { stdio: ['ignore', progress.stream.fd, 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Stop(`${program} ${args.slice(0, 3).join(' ')} … ended with ${signal ?? code}`);
};

/** What a short command prints. */
export const outputOf = (program: string, args: string[]): string => {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (error || status !== 0) throw new Stop(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
};

export const hasImage = (builder: Builder, image: string) =>
  builder === 'buildah'
    ? succeeds('buildah', ['inspect', '--type', 'image', image], 30_000)
    : succeeds(builder, ['image', 'inspect', image], 30_000);

/** In bytes, with its base image. */
export const sizeOf = (builder: Builder, image: string): number => {
  if (builder !== 'buildah') return Number(outputOf(builder, ['image', 'inspect', '--format', '{{.Size}}', image]));
  const size = outputOf('buildah', ['images', '--format', '{{.Size}}', image]).trim();
  const [, amount, unit = 'B'] = /^([\d.]+) ?([KMG]?B)$/.exec(size) ?? [];
  return Number(amount) * { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }[unit]!;
};
