/** The built dispatcher, copied: what is tested does not change while it is, and may be given a bug. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, Stop } from '../tools/lanyard/project.mjs';

/** @typedef {{ file: string, find: string, replace: string }} Mutation `file`: within the app; `find` is there exactly once */

/** @param {string} folder within the project, so that packages are found @param {Mutation} [mutation] */
export const copyProgram = (folder, mutation) => {
  const app = join(root, 'apps/dispatcher');
  mkdirSync(join(folder, 'src/queue'), { recursive: true });
  cpSync(join(app, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(app, 'src/queue/commands'), join(folder, 'src/queue/commands'), { recursive: true });
  cpSync(join(app, 'package.json'), join(folder, 'package.json'));
  if (mutation) mutate(join(folder, mutation.file), mutation);
  return folder;
};

/** @param {string} path @param {Mutation} mutation */
const mutate = (path, { file, find, replace }) => {
  const source = readFileSync(path, 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1)
    throw new Stop(`a planted bug does not fit any more: ${file} has ${times} times ${JSON.stringify(find)}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
};
