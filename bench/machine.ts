/** Whether a machine has enough free CPU time for a benchmark, also while it runs; and what a process uses (Linux). */
import { sleep } from '../tools/lanyard/project.ts';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const sampleMs = 2_000;

const processorTimes = () =>
  cpus()
    .map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((sum, ms) => sum + ms, 0) }))
    .reduce((sum, { idle, all }) => ({ idle: sum.idle + idle, all: sum.all + all }));

/** The share of all processors that programs use now: 0 to 1, over two seconds. */
export const busyShare = async () => {
  const before = processorTimes();
  await sleep(sampleMs);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
};

/** Milliseconds of CPU time that all programs have used since the machine started. */
export const busyMs = () => {
  const { all, idle } = processorTimes();
  return all - idle;
};

/** Ticks of all processors (proc(5), `/proc/stat`): those that the host gave to others, and all of them. */
const ticks = () => {
  const fields = existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] : '';
  const [, ...times] = (fields ?? '').trim().split(/\s+/).map(Number);
  // The last two fields, the time of guests, are included in the first two.
  return { stolen: times[7] ?? 0, all: times.slice(0, 8).reduce((sum, time) => sum + time, 0) };
};

/** CPU time that the host of a virtual machine has given to others since this object was created. */
export class Theft {
  before = ticks();

  /** Share of all processors, 0 to 1; 0 if unknown. */
  get share() {
    const { stolen, all } = ticks();
    return all > this.before.all ? (stolen - this.before.stolen) / (all - this.before.all) : 0;
  }
}

const clockTicksPerSecond = 100;

/** CPU time that a process has used since it started (proc(5), `utime` and `stime`). */
export const cpuSeconds = (pid: number | undefined) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
};

export const residentBytes = (pid: number | undefined) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
