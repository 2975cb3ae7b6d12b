/** Packages and build, only when they are not up to date. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { progress, root, say, Stop } from './project.mjs';

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

const stamp = () => join(root, 'node_modules/.lanyard-lock');

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

const installedHash = () => (existsSync(stamp()) ? readFileSync(stamp(), 'utf8') : '');

/** `npm ci` when node_modules is not there or of another lock file. */
export const installPackages = async () => {
  if (installedHash() === lockHash()) return;
  say('installing packages (npm ci)');
  await runProgram('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp(), lockHash());
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
