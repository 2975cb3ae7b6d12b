/** Every process that a run started: none outlives it, also when the run is interrupted. */
import { kill } from '../tools/lanyard/processes.mjs';

/** @type {Set<number>} */
const pids = new Set();

/** @param {number} pid */
export const noteStarted = (pid) => {
  pids.add(pid);
  return pid;
};

/** @param {number} pid */
export const noteEnded = (pid) => void pids.delete(pid);

export const killStarted = () => {
  for (const pid of pids) kill(pid, 'SIGKILL');
};
