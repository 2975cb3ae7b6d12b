/**
 * `npm run drill:backup`: backs up an installation with devices, keys and a channel while it runs, restores it into a
 * fresh one with empty infrastructure, and compares both: counts, keys, channel, a value that reaches the application again, and
 * a package that devices download. With `--cluster` both are clusters, one after the other: the running one is ended.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';

const usage = 'npm run drill:backup [-- --cluster]';
const options = { cluster: { type: 'boolean', default: false } } as const;

await command({ usage, options }, async ({ values }) => {
  await prepareSystem();
  const { rehearseBackup } = await import('./drill/backup-rehearsal.ts');
  if (values.cluster) {
    const { clusterToBackUp } = await import('./drill/backed-up-cluster.ts');
    const first = await clusterToBackUp();
    return rehearseBackup(first, () => first.another());
  }
  const { startDrillSystem } = await import('./drill/system.ts');
  const replicas = { gateway: 1 };
  const first = await startDrillSystem({ replicas });
  const { dataDir: source } = first.options;
  const prepare = (dataDir: string) => {
    for (const name of ['secrets.json', 'packages'])
      cpSync(join(source, name), join(dataDir, name), { recursive: true });
  };
  return rehearseBackup(first, () => startDrillSystem({ replicas, prepare }));
});
