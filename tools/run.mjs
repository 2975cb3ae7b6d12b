/**
 * `node tools/run.mjs FILE [ARGUMENT...]`: every npm command begins here, on whatever Node the machine has. Installs the
 * packages that are missing, and runs a TypeScript file of this project on the Node version that it pins as a package.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [file = '', ...args] = process.argv.slice(2);
const program = resolve(root, file);

/** They may run while packages are out of date, as the system does that they ask or end. */
const needsNoPackages = /^tools\/(status|stop)\.ts$/.test(file);

/** @param {string} problem @returns {never} */
const fail = (problem) => {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
};

const pinnedNode = () => {
  const folder = join(root, `node_modules/node-${process.platform}-${process.arch}`);
  if (!existsSync(join(folder, 'package.json'))) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { version, binary: join(folder, 'bin/node') };
};

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

const install = () => {
  process.stderr.write('installing packages (npm ci)\n');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  if (status !== 0) fail('npm ci failed');
};

/** Ends with the exit code of the program. @param {string} binary */
const continueOn = async (binary) => {
  const child = spawn(binary, [...process.execArgv, program, ...args], { stdio: 'inherit' });
  process.on('exit', () => child.kill());
  // A terminal sends SIGINT to both; the others reach this process only.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  await new Promise((_, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node ${process.versions.node} is too old: install Node 20.19 or later.`);
if (!(needsNoPackages && pinnedNode()) && !isInstalled()) install();
const pinned = pinnedNode();
// It is pinned for Linux only (package.json); elsewhere the machine's own Node runs everything.
if (!pinned && !process.features.typescript)
  fail('Node 24 is needed here: it is installed with the packages on Linux only.');
if (pinned && process.versions.node !== pinned.version) await continueOn(pinned.binary);
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
