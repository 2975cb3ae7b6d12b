/**
 * Cleans up after a killed PostgreSQL. Its server processes end when they next check their postmaster, which may be late if
 * one waits for a disk; until the last of them has ended, its shared memory is in use and no new server starts.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive, kill, processesIn } from './processes.ts';

const goneWithinMs = 10_000;
const pollMs = 10;

/** PostgreSQL's processes work in their data folder. */
const serverProcesses = (data: string) => processesIn(data).filter((pid) => /postgres/.test(commandLine(pid)));

/** Whether the lock file names a running process. A zombie does not run, but PostgreSQL considers it alive. */
const isHeld = (file: string) => {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
    return isAlive(pid) && /postgres/.test(commandLine(pid));
  } catch {
    return false;
  }
};

/** Blocks, because the caller starts a server right afterwards. */
const pause = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Called before each start of a server on this folder: ends the remaining processes of a killed server, and removes its lock
 * file. A running server is left alone. Returns the pids that it ended.
 */
export const clearAfterKill = (data: string): number[] => {
  const left = serverProcesses(data);
  // Only the postmaster shows its arguments; the other processes show their activity.
  if (left.some((pid) => commandLine(pid).includes(data))) return [];
  for (const pid of left) kill(pid, 'SIGKILL');
  for (const end = Date.now() + goneWithinMs; left.some(isAlive) && Date.now() < end;) pause(pollMs);
  const lock = join(data, 'postmaster.pid');
  if (!isHeld(lock)) rmSync(lock, { force: true });
  return left;
};
