/** The programs that build images: found, or installed from Debian's packages if this process may do so. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, outputOf, succeeds } from '../lanyard/programs.ts';
import { Stop } from '../lanyard/project.ts';

export const builders = ['docker', 'podman', 'buildah'] as const;
export type Builder = (typeof builders)[number];

/** A docker command alone is not enough: its daemon may not run. */
const works: Record<Builder, () => boolean> = {
  docker: () => succeeds('docker', ['info', '--format', '{{.ServerVersion}}']),
  podman: () => succeeds('podman', ['info']),
  buildah: () => succeeds('buildah', ['info']),
};

/** Podman looks for its helpers in its own folders. */
const isThere = (program: string) =>
  ['/usr/libexec/podman', '/usr/lib/podman'].some((folder) => existsSync(join(folder, program))) ||
  succeeds('which', [program]);

/** Installs missing programs. Throws Stop if this process may not do so. */
export const ensurePrograms = (packages: Record<string, string>) => {
  const missing = Object.keys(packages).filter((program) => !isThere(program));
  if (missing.length > 0) installPackages(missing.map((program) => packages[program] as string));
};

/** @param wanted name of the builder; by default the first one that works, or podman, which is installed if none works */
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

export const hasImage = (builder: Builder, image: string) =>
  builder === 'buildah'
    ? succeeds('buildah', ['inspect', '--type', 'image', image])
    : succeeds(builder, ['image', 'inspect', image]);

/** Size in bytes, including the base image. */
export const sizeOf = (builder: Builder, image: string): number => {
  if (builder !== 'buildah') return Number(outputOf(builder, ['image', 'inspect', '--format', '{{.Size}}', image]));
  const size = outputOf('buildah', ['images', '--format', '{{.Size}}', image]).trim();
  const [, amount, unit = 'B'] = /^([\d.]+) ?([KMG]?B)$/.exec(size) ?? [];
  return Number(amount) * { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }[unit]!;
};
