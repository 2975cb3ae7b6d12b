/** Processes that outlive the terminal's signals: each has its own session, a log file, and is known by its pid. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
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
