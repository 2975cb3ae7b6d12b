/** Sources, tests, tools, documents and the API description use plain words (CONTRIBUTING.md). */
import { conclude, projectFiles, textOf } from './lanyard/project-files.ts';
import { oddWords } from './lint/words.ts';

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

conclude(
  projectFiles(...covered)
    .filter((path) => !exempt.includes(path))
    .flatMap((path) =>
      oddWords(textOf(path)).map(({ line, word, instead }) => `${path}:${line}: "${word}": write ${instead}`),
    ),
);
