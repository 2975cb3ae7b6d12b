/** Processes that outlive the terminal's signals: each has its own session, a log file, and is known by its pid. */
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { sleep } from './project.mjs';

const logBytesMax = 10 * 1024 * 1024;

/** @param {string} path */
const openLog = (path) => {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && statSync(path).size > logBytesMax) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
};

/**
 * @typedef {{ command: string, args: string[], env?: Record<string, string>, cwd?: string, logFile: string, uid?: number, gid?: number, prepare?: () => void }} ProcessSpec
 *   `prepare`: before each start
 * @param {ProcessSpec} spec
 * @returns {number} pid
 */
export const launch = ({ command, args, env, cwd, logFile, uid, gid, prepare }) => {
  prepare?.();
  const log = openLog(logFile);
  const child = spawn(command, args, {
    cwd: cwd ?? '/',
    env: env ?? process.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(uid !== undefined && { uid, gid }),
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  return child.pid ?? 0;
};

/** @param {number | undefined} pid */
export const isAlive = (pid) => {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
  return !isZombie(pid);
};

/** A child of a process that was killed may wait unreaped: it is not alive. @param {number} pid */
const isZombie = (pid) => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/s, ''));
  } catch {
    return false;
  }
};

/** The command line of a process, or '' when there is none. @param {number} pid */
export const commandLine = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
};

/** True when the pid is alive and still the process it was: pids are reused. @param {number | undefined} pid @param {string} marker */
export const isProcess = (pid, marker) => pid !== undefined && isAlive(pid) && commandLine(pid).includes(marker);

const pidsInProc = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** @param {number} pid @param {string} folder */
const worksIn = (pid, folder) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
};

/** The pids of processes whose working directory this is. None where there is no /proc. @param {string} folder */
export const processesIn = (folder) => {
  try {
    const path = realpathSync(folder);
    return pidsInProc().filter((pid) => worksIn(pid, path));
  } catch {
    return [];
  }
};

/** The pids of this machine with their command lines. @returns {[number, string][]} */
const commandLines = () => {
  try {
    return pidsInProc().map((pid) => [pid, commandLine(pid)]);
  } catch {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,command='], { encoding: 'utf8' });
    return (stdout ?? '').split('\n').map((line) => {
      const [, pid = '0', command = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
      return [Number(pid), `${command} `];
    });
  }
};

/**
 * The process of a unit: the one that was recorded, or else the one whose command line has the unit's signature. Its pid
 * may not have been recorded, because the disk was full.
 * @param {{ pid?: number, marker: string, signature?: string }} unit @returns {number | undefined}
 */
export const processOf = ({ pid, marker, signature }) => {
  if (isProcess(pid, marker)) return pid;
  if (!signature) return undefined;
  return commandLines().find(([other, command]) => command.includes(signature) && isAlive(other))?.[0];
};

/**
 * Asks the process to end, waits, then kills it.
 * @param {number | undefined} pid @param {{ signal?: NodeJS.Signals, waitMs?: number }} [options]
 */
export const stopProcess = async (pid, { signal = 'SIGTERM', waitMs = 10_000 } = {}) => {
  if (!pid || !isAlive(pid)) return;
  kill(pid, signal);
  for (const end = Date.now() + waitMs; isAlive(pid) && Date.now() < end;) await sleep(25);
  if (isAlive(pid)) kill(pid, 'SIGKILL');
  while (isAlive(pid)) await sleep(10);
};

/** @param {number} pid @param {NodeJS.Signals} signal */
export const kill = (pid, signal) => {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
};
