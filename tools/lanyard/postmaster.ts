/**
 * What a PostgreSQL that was killed leaves behind. Its server processes end when they next look at their postmaster, and
 * one that waits for a disk looks late; until the last has gone, its shared memory is in use and no new server starts.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive, kill, processesIn } from './processes.ts';

const goneWithinMs = 10_000;
const lookMs = 10;

/** PostgreSQL's processes work in their data folder. */
const serverProcesses = (data: string) => processesIn(data).filter((pid) => /postgres/.test(commandLine(pid)));

/** Whether the lock file names a process that runs. A zombie does not, but PostgreSQL takes it for alive. */
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
 * Before each start of a server on this folder: ends what a killed one left behind, and removes its lock file. A server
 * that runs is left alone. Gives the pids that it ended.
 */
export const clearAfterKill = (data: string): number[] => {
  const left = serverProcesses(data);
  // Only the postmaster shows its arguments; the others show what they do.
  if (left.some((pid) => commandLine(pid).includes(data))) return [];
  for (const pid of left) kill(pid, 'SIGKILL');
  for (const end = Date.now() + goneWithinMs; left.some(isAlive) && Date.now() < end;) pause(lookMs);
  const lock = join(data, 'postmaster.pid');
  if (!isHeld(lock)) rmSync(lock, { force: true });
  return left;
};
