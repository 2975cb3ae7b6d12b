/** Sources, tests, tools, documents and the API description use plain words (CONTRIBUTING.md). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lanyard/project.mjs';
import { oddWords } from './lint/words.mjs';

const covered = [
  '*.md',
  'docs',
  'libs/*/src',
  'libs/*/README.md',
  'apps/*/src',
  'apps/*/README.md',
  'k8s',
  'deploy',
  'bench',
  'e2e',
  'faults',
  'tools',
  'apps/*/test',
  'libs/*/test',
];

/** Names of Redis channels, which stay as they are, and the list of words with its test. */
const exempt = ['apps/device-proxy/src/sessions/keys.ts', 'tools/lint/words.mjs', 'tools/words.spec.ts'];

const { stdout } = spawnSync('git', ['ls-files', '-z', ...covered], { cwd: root, encoding: 'utf8' });
const paths = stdout.split('\0').filter((path) => path !== '' && !exempt.some((folder) => path.startsWith(folder)));
const problems = paths.flatMap((path) =>
  oddWords(readFileSync(join(root, path), 'utf8')).map(
    ({ line, word, instead }) => `${path}:${line}: "${word}": write ${instead}`,
  ),
);
for (const problem of problems) console.error(problem);
process.exitCode = paths.length === 0 || problems.length > 0 ? 1 : 0;
