/** Packages and build, only when they are not up to date. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkNode } from './prerequisites.mjs';
import { progress, root, say, Stop } from './project.mjs';
import { continueOnPinnedNode } from './runtime.mjs';

/** @param {string} program @param {string[]} args @param {Record<string, string>} [env] */
export const runProgram = (program, args, env = {}) =>
  new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', progress.stream.fd, 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', failed);
    child.on('exit', (code, signal) =>
      code === 0 ? done(undefined) : failed(new Stop(`${program} ${args.join(' ')} ended with ${signal ?? code}`)),
    );
  });

/** Path of package to version, of a lock file. @param {string} path @returns {Map<string, { version: string, optional?: boolean }>} */
const lockedIn = (path) => {
  const { packages } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { packages: {} };
  return new Map(Object.entries(packages).filter(([name, { link }]) => name.includes('node_modules/') && !link));
};

/** What npm noted in node_modules is what the lock file says; optional packages of other platforms are not there. */
const isInstalled = () => {
  const wanted = lockedIn(join(root, 'package-lock.json'));
  const found = lockedIn(join(root, 'node_modules/.package-lock.json'));
  const asWanted = [...wanted].every(([name, { version, optional }]) =>
    found.has(name) ? found.get(name)?.version === version : optional,
  );
  return asWanted && [...found.keys()].every((name) => wanted.has(name));
};

/** `npm ci` when node_modules is not there or of another lock file. */
const installPackages = async () => {
  if (isInstalled()) return;
  say('installing packages (npm ci)');
  await runProgram('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
};

/** What every command begins with: packages, and the Node version that the project pins. */
export const prepare = async () => {
  checkNode();
  await installPackages();
  await continueOnPinnedNode();
};

/** @param {string} folder @returns {string[]} */
const luaFiles = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? luaFiles(path) : entry.name.endsWith('.lua') ? [path] : [];
      })
    : [];

/** The compiler copies no scripts: Redis scripts go beside the code that loads them. */
export const copyScripts = () => {
  for (const app of readdirSync(join(root, 'apps'))) {
    const source = join(root, 'apps', app, 'src');
    for (const file of luaFiles(source)) {
      const target = join(root, 'apps', app, 'dist', file.slice(source.length));
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(file, target);
    }
  }
};

/** Incremental: a second of work when nothing changed. */
export const build = async () => {
  say('building');
  await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', 'tsconfig.json']);
  copyScripts();
};
