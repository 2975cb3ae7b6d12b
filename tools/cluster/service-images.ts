/** Images of the services, in the storage of podman or docker. */
import { rmSync } from 'node:fs';
import { runProgram, succeeds } from '../lanyard/programs.ts';
import { Stop } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';

/** Of an image that was built here: the full form of the short name for Docker, Compose and Kubernetes. */
export const imageOf = (app: string, tag = 'dev') => `docker.io/library/lanyard-${app}:${tag}`;

/** Tag of images of the previous version, if they were built: `npm run images -- --tag previous` in a checkout of it. */
export const previousTag = 'previous';

const allOf = (tag: string) => apps.map((app) => imageOf(app, tag));

const storages = [
  { program: 'podman', options: ['--multi-image-archive'] },
  { program: 'docker', options: [] },
];

/** Whether all images exist. */
export const hasImages = (tag = 'dev') =>
  storages.some(({ program }) => succeeds(program, ['image', 'inspect', ...allOf(tag)]));

/** Saves all images into one archive, which contains their common layers once. */
export const saveImages = async (archive: string, tag = 'dev') => {
  for (const { program, options } of storages) {
    rmSync(archive, { force: true });
    const saved = runProgram(program, ['save', '--output', archive, ...options, ...allOf(tag)]);
    if (await saved.then(() => true).catch(() => false)) return;
  }
  throw new Stop('There are no images: npm run images builds them.');
};
