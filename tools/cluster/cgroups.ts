/** Control groups of the cluster: a branch for each node, separate from everything else on this machine. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Member, Plan } from './plan.ts';

const cgroups = '/sys/fs/cgroup';

/** The branch of all members of a cluster; clusters on the same machine have different ones. */
export const cgroupOf = (plan: Plan) => `/lanyard-${plan.network.replaceAll(/[./]/g, '-')}`;

/** One hierarchy per controller (v1), or one for all (v2). */
export const hierarchies = () =>
  existsSync(join(cgroups, 'cgroup.controllers'))
    ? [cgroups]
    : readdirSync(cgroups)
        .filter((name) => name !== 'unified')
        .map((name) => join(cgroups, name))
        .filter((path) => statSync(path).isDirectory());

/** Copies settings that a new branch does not inherit from its parent by itself. */
const inherit = (parent: string, branch: string) => {
  for (const name of ['cpuset.cpus', 'cpuset.mems'])
    if (existsSync(join(branch, name)) && readFileSync(join(branch, name), 'utf8').trim() === '')
      writeFileSync(join(branch, name), readFileSync(join(parent, name)));
  const control = join(parent, 'cgroup.subtree_control');
  if (existsSync(control)) writeFileSync(control, '+cpu +cpuset +memory +pids');
};

/** CPU weight of the whole cluster: as much as eight processes that compete with it on this machine. */
const share = { 'cpu.shares': '8192', 'cpu.weight': '800' };

const giveShare = (branch: string) => {
  for (const [name, value] of Object.entries(share))
    if (existsSync(join(branch, name))) writeFileSync(join(branch, name), value);
};

export const makeCgroups = (plan: Plan, { name }: Member) => {
  // A machine that restarts must not find its old groups: the kubelet would ask containerd about each of them for seconds.
  for (const hierarchy of hierarchies()) removeBranch(join(hierarchy, cgroupOf(plan), name));
  for (const hierarchy of hierarchies()) {
    const all = join(hierarchy, cgroupOf(plan));
    for (const [parent, branch] of [
      [hierarchy, all],
      [all, join(all, name)],
    ] as const) {
      mkdirSync(branch, { recursive: true });
      inherit(parent, branch);
    }
    giveShare(all);
  }
};

const removeBranch = (path: string) => {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeBranch(join(path, entry.name));
  rmdirSync(path);
};

/** Removes the groups, once no process is left in them. */
export const removeCgroups = (plan: Plan) => {
  for (const hierarchy of hierarchies()) removeBranch(join(hierarchy, cgroupOf(plan)));
};
