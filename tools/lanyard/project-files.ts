/** The files of the project, for checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from './programs.ts';
import { root } from './project.ts';

/** Files that match `globs`, tracked or new. A glob without a match is an error, because what it should cover would go unchecked. */
export const projectFiles = (...globs: string[]): string[] =>
  globs.flatMap((glob) => {
    const args = ['ls-files', '-co', '--exclude-standard', '-z', `:(glob)${glob}`];
    const paths = outputOf('git', args, { cwd: root });
    if (paths === '') throw new Error(`No file matches ${glob}`);
    return paths.split('\0').slice(0, -1);
  });

export const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

export const isTest = (path: string) => path.endsWith('spec.ts');

/** The texts that the first group of `form`, a global expression, matches in files. */
export const namesIn = (files: readonly string[], form: RegExp) =>
  new Set(files.flatMap((path) => [...textOf(path).matchAll(form)].map(([, name = '']) => name)));

/** The end of a check: prints its problems, and fails when there are any. */
export const conclude = (problems: readonly string[]) => {
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
};
