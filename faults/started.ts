/** Every process that a run started: none outlives it, also when the run is interrupted. */
import { kill } from '../tools/lanyard/processes.ts';

const pids = new Set<number>();

export const noteStarted = (pid: number) => {
  pids.add(pid);
  return pid;
};

export const noteEnded = (pid: number) => void pids.delete(pid);

export const killStarted = () => {
  for (const pid of pids) kill(pid, 'SIGKILL');
};
