/**
 * `npm run drill [-- OPTIONS]`: restarts and kills infrastructure and services in turn under load: with `--cluster` on the
 * cluster that `npm run cluster` started (docs/cluster.md), otherwise with two replicas of everything. Ends with 1 when
 * anything was lost, or fewer than 99.9 % of the calls succeeded after one retry.
 */
import { loadOptions, loadUsage, readLoad } from './drill/load-options.ts';
import { command, pattern } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';
import { say, sleep } from './lanyard/project.ts';

const usage = `npm run drill -- [--cluster] ${loadUsage} [--only REGEXP] [--json]`;

const options = {
  ...loadOptions,
  cluster: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
} as const;

await command({ usage, options, printsResult: true }, async ({ values }) => {
  const [load, only] = [readLoad(values), pattern('only', values.only)];
  await prepareSystem();
  if (values.cluster) {
    const { drillOnCluster } = await import('./drill/on-cluster.ts');
    return drillOnCluster(load, only, values.json);
  }
  const { startDrillSystem } = await import('./drill/system.ts');
  const { Rehearsal } = await import('./drill/rehearsal.ts');
  const { report } = await import('./drill/report.ts');
  const system = await startDrillSystem();
  const rehearsal = new Rehearsal(system, load);
  const step = async (name: string, work: () => Promise<string | void>, inOrder?: boolean) => {
    if (only.test(name)) await rehearsal.step(name, work, { inOrder });
  };
  const ended = (ms: number) => `had ended after ${(ms / 1_000).toFixed(1)} s`;
  try {
    await rehearsal.begin();
    say('under load');
    await rehearsal.step('nothing', () => sleep(10_000));
    const servers = ['redis', 'postgresql', 'kafka'];
    for (const name of servers) await step(`restart of ${name}`, async () => ended(await system.restart(name)));
    for (const name of servers)
      await step(`kill -9 of ${name}`, async () => void (await system.restart(name, 'SIGKILL')));
    for (const name of system.replicaNames)
      await step(`kill -9 of ${name}`, async () => void (await system.restart(name, 'SIGKILL')));
    for (const name of system.replicaNames)
      await step(`restart of ${name}`, async () => ended(await system.restart(name)), true);
    say('waiting for what is owed');
    return report(rehearsal, await rehearsal.end(), values.json);
  } finally {
    rehearsal.stop();
    await system.stop();
  }
});
