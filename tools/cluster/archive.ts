/** Images that contain only one program each, in the format of `docker save`. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { outputOf } from '../lanyard/programs.ts';

export interface ProgramImage {
  name: string;
  /** Path of a statically linked program. */
  program: string;
  /** `user:group`, if not root. */
  user?: string;
}

const architectures: Record<string, string> = { x64: 'amd64' };

const addImage = (folder: string, { name, program, user }: ProgramImage, n: number) => {
  const root = join(folder, `root-${n}`);
  mkdirSync(root);
  copyFileSync(program, join(root, basename(program)));
  const layer = `layer-${n}.tar`;
  outputOf('tar', ['-C', root, '--owner=0', '--group=0', '-cf', join(folder, layer), basename(program)]);
  rmSync(root, { recursive: true });
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, layer)))
    .digest('hex');
  const config = {
    architecture: architectures[process.arch] ?? process.arch,
    os: 'linux',
    config: { Entrypoint: [`/${basename(program)}`], ...(user !== undefined && { User: user }) },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  writeFileSync(join(folder, `config-${n}.json`), JSON.stringify(config));
  return { Config: `config-${n}.json`, RepoTags: [name], Layers: [layer] };
};

/** @param target the archive to be written */
export const writeProgramImages = (target: string, images: readonly ProgramImage[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-images-'));
  try {
    const manifest = images.map((image, n) => addImage(folder, image, n));
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    outputOf('tar', ['-C', folder, '-cf', target, '.']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
