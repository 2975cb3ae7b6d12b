/** Sources, tests, tools, documents and the API description use plain words (CONTRIBUTING.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lanyard/project.ts';
import { filesMatching, oddWords } from './lint/words.ts';

const covered = [
  '*.md',
  'docs/**',
  'libs/*/README.md',
  'libs/*/src/**',
  'libs/*/test/**',
  'apps/*/README.md',
  'apps/*/src/**',
  'apps/*/test/**',
  'k8s/**',
  'deploy/**',
  'bench/**',
  'e2e/**',
  'faults/**',
  'tools/**',
];

/** Names of Redis channels, which stay as they are, and the list of words. */
const exempt = ['apps/device-proxy/src/sessions/keys.ts', 'tools/lint/words.ts'];

const problems = filesMatching(covered)
  .filter((path) => !exempt.includes(path))
  .flatMap((path) =>
    oddWords(readFileSync(join(root, path), 'utf8')).map(
      ({ line, word, instead }) => `${path}:${line}: "${word}": write ${instead}`,
    ),
  );
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
