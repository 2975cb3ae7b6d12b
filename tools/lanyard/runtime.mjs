/** The Node version that this project pins as a package. The commands start on whatever Node the machine has. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root, say } from './project.mjs';

/** It is pinned for Linux only (package.json); elsewhere the machine's own Node runs everything. */
const pinned = `node-${process.platform}-${process.arch}`;

/** @returns {{ version: string, program: string } | undefined} */
const pinnedNode = () => {
  const folder = join(root, 'node_modules', pinned);
  if (!existsSync(join(folder, 'package.json'))) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { version, program: join(folder, 'bin/node') };
};

/**
 * Runs this command again under the pinned Node and ends with its exit code, unless it runs there already. Call it when
 * packages are installed and before anything is locked or started.
 */
export const continueOnPinnedNode = async () => {
  const node = pinnedNode();
  if (!node || process.versions.node === node.version) return;
  say(`continuing on Node ${node.version}`);
  const child = spawn(node.program, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.on('exit', () => child.kill());
  // A terminal sends SIGINT to both; the others reach this process only.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  await new Promise((_, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
};
