/** The resources that the processes of a soak use. PostgreSQL has one process for each connection. */
import { readFileSync } from 'node:fs';
import type { TestSystem } from '../../tools/testing/test-system.ts';
import { apps } from '../../tools/lanyard/service-processes.ts';
import { cpuSeconds } from '../machine.ts';

const servers = ['redis', 'postgresql', 'kafka'];

/** A process and its descendants. Throws when it has ended. */
const family = (pid: number): number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number).flatMap(family))];
};

/** Pages that processes share are divided among them. */
const memoryBytes = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1_024;

/** NaN while one of them ends. */
const sumOf = (pids: () => number[], of: (pid: number) => number) => {
  try {
    return pids().reduce((sum, pid) => sum + of(pid), 0);
  } catch {
    return NaN;
  }
};

export class Processes {
  private used = new Map<number, number>();
  private atMs = performance.now();

  private readonly system: TestSystem;

  constructor(system: TestSystem) {
    this.system = system;
  }

  /** Memory in MB and CPU in % of a core since the last call: of all replicas of each service, and of the infrastructure. */
  take(): Record<string, number> {
    const seconds = (performance.now() - this.atMs) / 1_000;
    const before = this.used;
    this.atMs = performance.now();
    this.used = new Map();
    // CPU time from before a process was first seen may not belong to this period.
    const cpuOf = (pid: number) => {
      const now = cpuSeconds(pid);
      this.used.set(pid, now);
      return ((now - (before.get(pid) ?? now)) / seconds) * 100;
    };
    return Object.fromEntries(
      [...apps, ...servers].flatMap((name) => {
        const pids = () => this.unitsOf(name).flatMap((unit) => family(this.system.unit(unit).unit.pid ?? 0));
        return [
          [`memory ${name}`, sumOf(pids, memoryBytes) / 1e6],
          [`CPU ${name}`, sumOf(pids, cpuOf)],
        ];
      }),
    );
  }

  private unitsOf(name: string) {
    const replicas = this.system.replicaNames.filter((replica) => replica.replace(/-\d+$/, '') === name);
    return replicas.length > 0 ? replicas : [name];
  }
}
