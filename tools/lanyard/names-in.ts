import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.ts';

/**
 * What the first group of `form` found in files of the project.
 * @param paths as git takes them
 * @param form global
 */
export const namesIn = (paths: string[], form: RegExp) => {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  const texts = stdout
    .trim()
    .split('\n')
    .map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(form)].map(([, name = '']) => name)));
};
