/** The build, which takes one second when nothing has changed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { writeClientTypes } from '../docs/client-types.ts';
import { bundleServices } from './bundles.ts';
import { checkInfrastructurePrerequisites } from './prerequisites.ts';
import { runProgram } from './programs.ts';
import { root, say } from './project.ts';

/** Copies Redis scripts beside the code that loads them, because the compiler copies no scripts. */
export const copyScripts = () => {
  for (const file of globSync('apps/*/src/**/*.lua', { cwd: root })) {
    const target = join(root, file.replace('/src/', '/dist/'));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, file), target);
  }
};

/** When the file, or any file below the folder, was last changed. */
const changedMs = (path: string): number => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inner = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
  return Math.max(...inner.map((name) => changedMs(join(path, name))));
};

const consoleSources = ['apps/console', 'libs/client/src', 'package-lock.json'];

/** Builds the page that the gateway serves, unless its sources are older than the last build. */
export const buildConsole = async () => {
  const page = join(root, 'apps/console/dist/index.html');
  const isCurrent =
    existsSync(page) && consoleSources.every((path) => changedMs(join(root, path)) <= statSync(page).mtimeMs);
  if (isCurrent) return;
  say('building the console');
  // Hides the size of each file, but shows warnings and the errors of a failed build.
  const quietly = ['--logLevel', 'warn'];
  await runProgram(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'apps/console', ...quietly]);
};

export const build = async () => {
  say('compiling');
  writeClientTypes();
  await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', 'tsconfig.json']);
  copyScripts();
  await bundleServices();
  await buildConsole();
};

/** Prepares for any program that runs the system on its own infrastructure. */
export const prepareSystem = async () => {
  checkInfrastructurePrerequisites();
  await build();
};

/**
 * Builds one project and runs a file of it, with the arguments of this command; resolves with its exit code.
 * `defaults`: options that those of the command line override.
 */
export const runBuilt = async (project: string, file: string, defaults: readonly string[] = []) => {
  await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', project]);
  const args = [join(project, 'dist', file), ...defaults, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // Ctrl-C reaches both processes: devices deregister, and this process waits for them.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
};
