/**
 * `node tools/run.mjs FILE [ARGUMENT...]`: every npm command begins here, on whatever Node the machine has. Installs the
 * packages that are missing, and runs a TypeScript file of this project on the Node version that it pins as a package.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [file = '', ...args] = process.argv.slice(2);
const program = resolve(root, file);

/** These report on or end a running system, and run without an installation even if packages are out of date. */
const needsNoPackages = /^tools\/(status|stop)\.ts$/.test(file);

/** @param {string} problem @returns {never} */
const fail = (problem) => {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
};

const pinnedPackage = `node_modules/node-${process.platform}-${process.arch}`;

const pinnedBinary = join(root, pinnedPackage, 'bin/node');

const pinnedNode = () => {
  const manifest = join(root, pinnedPackage, 'package.json');
  if (!existsSync(manifest) || !existsSync(pinnedBinary)) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { version, binary: pinnedBinary };
};

/**
 * The packages that a lock file names, by their paths; workspaces are left out.
 * @param {string} path @returns {Map<string, { version: string, optional?: boolean }>}
 */
const lockedIn = (path) => {
  const { packages } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { packages: {} };
  return new Map(Object.entries(packages).filter(([name, { link }]) => name.includes('node_modules/') && !link));
};

/**
 * Whether a package that npm recorded is on the disk: it may be missing after two installations at the same time.
 * Packages in the folder of a workspace are not checked, because a work tree may link node_modules of the root only.
 * @param {string} name
 */
const isThere = (name) =>
  !name.startsWith('node_modules/') ||
  (existsSync(join(root, name, 'package.json')) && (name !== pinnedPackage || existsSync(pinnedBinary)));

const wantedPackages = () => lockedIn(join(root, 'package-lock.json'));

/** Whether node_modules has exactly the packages of the lock file, except for optional ones of other platforms. */
const isInstalled = () => {
  const wanted = wantedPackages();
  const found = lockedIn(join(root, 'node_modules/.package-lock.json'));
  const asWanted = [...wanted].every(([name, { version, optional }]) =>
    found.has(name) ? found.get(name)?.version === version : optional,
  );
  return asWanted && [...found.keys()].every((name) => wanted.has(name) && isThere(name));
};

/** The signal that asked this command to end while it waited for another process. @type {NodeJS.Signals | undefined} */
let endedBy;

/**
 * Waits until a child process ends. A terminal sends SIGINT to both processes; the other signals reach this process only.
 * @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} Its exit code.
 */
const exitCodeOf = async (child) => {
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    endedBy = signal;
    if (signal !== 'SIGINT') child.kill(signal);
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, pass);
  try {
    const [code, signal] = await once(child, 'exit');
    return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal ?? 'SIGKILL')];
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
};

/** Whether npm has installed the packages. An interrupt ends npm, because the next command would install as well. */
const install = async () => {
  process.stderr.write('installing packages (npm ci)\n');
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  // Rejects if there is no npm.
  return (await exitCodeOf(child).catch(() => 1)) === 0;
};

/**
 * The file with the pids of the commands that have to install packages, one a line. The first of them that still runs
 * installs; a killed command leaves its pid.
 */
const queue = join(root, '.lanyard/install.pids');

const queued = () => {
  try {
    return readFileSync(queue, 'utf8').trim().split('\n').map(Number);
  } catch {
    // The command that has installed the packages has removed the file.
    return [];
  }
};

/** @param {number} pid */
const commandLine = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
};

/** Whether the pid still belongs to an npm command: pids are reused. @param {number} pid */
const isCommand = (pid) => pid === process.pid || commandLine(pid).includes('run.mjs');

/** Two installations at the same time would break each other. Ends when this command is the first of the queue. */
const waitForTurn = async () => {
  mkdirSync(join(root, '.lanyard'), { recursive: true });
  for (let reported = 0; ; await sleep(100)) {
    if (!queued().includes(process.pid)) appendFileSync(queue, `${process.pid}\n`);
    const first = queued().find(isCommand);
    if (first === process.pid) return;
    if (first !== undefined && first !== reported)
      process.stderr.write(`waiting for process ${first}, which installs packages\n`);
    reported = first ?? reported;
  }
};

const installOnce = async () => {
  await waitForTurn();
  const isDone = isInstalled() || (await install());
  rmSync(queue, { force: true });
  if (endedBy) process.exit(128 + constants.signals[endedBy]);
  if (!isDone) fail('npm ci failed');
};

/**
 * What to do when neither the pinned Node nor this one can run TypeScript. Node is pinned for Linux only
 * (package.json); elsewhere, the machine's own Node runs everything.
 */
const missingNodeProblem = () =>
  wantedPackages().has(pinnedPackage)
    ? `${pinnedPackage}, the Node that runs this project, is missing: run npm ci again, or install Node 24.`
    : `Node ${process.versions.node} cannot run this project: install Node 24.`;

/** Runs the program on another Node, and ends this process with its exit code. @param {string} binary */
const continueOn = async (binary) => {
  const child = spawn(binary, [...process.execArgv, program, ...args], { stdio: 'inherit' });
  process.on('exit', () => child.kill());
  process.exit(await exitCodeOf(child));
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node ${process.versions.node} is too old: install Node 20.19 or later.`);
if (!(needsNoPackages && pinnedNode()) && !isInstalled()) await installOnce();
const pinned = pinnedNode();
if (!pinned && !process.features.typescript) fail(missingNodeProblem());
if (pinned && process.versions.node !== pinned.version) await continueOn(pinned.binary);
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
