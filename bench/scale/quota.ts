/** CPU limits for single processes, each by a Linux control group: version 1, or 2 with the `cpu` controller. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Short, so that a limited process is stopped for milliseconds only. */
const periodUs = 10_000;

const root = '/sys/fs/cgroup';
const [v1, v2Controllers] = [join(root, 'cpu'), join(root, 'cgroup.controllers')];

const hasV2 = () => existsSync(v2Controllers) && readFileSync(v2Controllers, 'utf8').split(/\s+/).includes('cpu');

/** Why limits are not possible here; undefined if they are. */
export const whyNoQuotas = () => {
  if (process.getuid?.() !== 0) return 'only root makes control groups';
  return existsSync(join(v1, 'cpu.cfs_quota_us')) || hasV2() ? undefined : `no CPU controller in ${root}`;
};

/** A group for one process. */
export class Quota {
  folder: string;
  isV1 = existsSync(join(v1, 'cpu.cfs_quota_us'));

  constructor(name: string) {
    this.folder = join(this.isV1 ? v1 : root, `lanyard-bench-${process.pid}-${name}`);
    if (!this.isV1) writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(this.folder);
    process.once('exit', () => this.remove());
  }

  /** @param share of one core */
  limit(pid: number | undefined, share: number) {
    const quotaUs = Math.round(share * periodUs);
    if (this.isV1) {
      this.write('cpu.cfs_period_us', periodUs);
      this.write('cpu.cfs_quota_us', quotaUs);
    } else this.write('cpu.max', `${quotaUs} ${periodUs}`);
    this.write('cgroup.procs', pid ?? 0);
    return this;
  }

  write(file: string, value: string | number) {
    writeFileSync(join(this.folder, file), String(value));
  }

  /** Call this when its process has ended. */
  remove() {
    if (existsSync(this.folder)) rmdirSync(this.folder);
  }
}
