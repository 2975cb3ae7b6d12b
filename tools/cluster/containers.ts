/** Stops and continues the processes in a container of a pod, as seen from this machine, and limits their memory. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from '../lanyard/processes.ts';
import { cgroupOf, hierarchies } from './cgroups.ts';
import type { KubernetesObject } from './kubectl.ts';
import type { Plan } from './plan.ts';

interface ContainerStatus {
  containerID?: string;
  restartCount: number;
  lastState?: { terminated?: { reason: string } };
}

/** Each of our pods has one container. */
const statusOf = ({ status }: KubernetesObject) => ((status?.['containerStatuses'] ?? []) as ContainerStatus[])[0];

export const restartsOf = (pod: KubernetesObject) => statusOf(pod)?.restartCount ?? 0;

/** Why the pod's container ended the last time, for example `OOMKilled`. */
export const endOf = (pod: KubernetesObject) => statusOf(pod)?.lastState?.terminated?.reason;

/** Period of the CFS scheduler, as the kubelet sets it. */
const periodMicroseconds = 100_000;

const pageBytes = 4_096;
/** The memory that a container may still use before it is out of memory: less than any program needs to start. */
const spareBytes = 4 * 1024 * 1024;

export class Container {
  branches: string[];

  constructor(plan: Plan, pod: KubernetesObject) {
    const id = statusOf(pod)?.containerID?.replace(/^\w+:\/\//, '');
    if (!id) throw new Error(`${pod.metadata.name} has no container`);
    const node = String(pod.spec?.['nodeName']);
    this.branches = hierarchies().flatMap((path) => globSync(join(path, cgroupOf(plan), node, 'kubepods/**', id)));
  }

  private file(...names: string[]) {
    const all = this.branches.flatMap((branch) => names.map((name) => join(branch, name)));
    const found = all.find((path) => existsSync(path));
    if (found === undefined) throw new Error(`no ${names.join(' or ')} of a container`);
    return found;
  }

  /** The pids as this machine counts them. */
  get pids() {
    return readFileSync(this.file('cgroup.procs'), 'utf8').trim().split('\n').map(Number);
  }

  signal(signal: NodeJS.Signals) {
    for (const pid of this.pids) kill(pid, signal);
  }

  /** Lowers the memory limit to the current usage: the next program that starts makes the kernel kill the largest process. */
  takeMemory() {
    const used = Number(readFileSync(this.file('memory.usage_in_bytes', 'memory.current'), 'utf8'));
    const limit = Math.ceil((used + spareBytes) / pageBytes) * pageBytes;
    writeFileSync(this.file('memory.limit_in_bytes', 'memory.max'), String(limit));
  }

  /** @param millicores of CPU time that the container may use from now on, whatever the limit of its pod */
  limitProcessors(millicores: number) {
    const quota = (millicores / 1_000) * periodMicroseconds;
    const file = this.file('cpu.cfs_quota_us', 'cpu.max');
    writeFileSync(file, file.endsWith('cpu.max') ? `${quota} ${periodMicroseconds}` : String(quota));
  }

  /** Periods in which the container ran, and those in which it had used up its CPU time. */
  throttling() {
    const text = this.branches
      .map((branch) => join(branch, 'cpu.stat'))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const of = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { periods: of('nr_periods'), throttled: of('nr_throttled') };
  }
}
