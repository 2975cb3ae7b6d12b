/**
 * Files, exports and dependencies that nothing uses (knip). `knip.json` ignores what knip cannot see: nx needs `@nx/js` for its
 * graph, jest and typescript-7 are started by path, jest resolves through unrs-resolver, and tests of tools use the workspace
 * `@lanyard/testing`. Duplicates are off: limits of the specification with the same value keep a name each.
 */
import { spawnSync } from 'node:child_process';
import { root } from './lanyard/project.ts';

const { status } = spawnSync(process.execPath, ['node_modules/knip/bin/knip.js', '--no-progress'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
