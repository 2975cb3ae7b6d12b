/**
 * `npm run drill:backup`: an installation with devices, keys and a channel is backed up while it runs, restored into a
 * fresh one with empty engines, and compared: counts, keys, channel, a value that reaches the application again, and a
 * firmware image that devices download. With `--cluster` both are clusters, one after the other: the one that runs ends.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { checkEnginePrerequisites } from './lanyard/prerequisites.ts';
import { run } from './lanyard/project.ts';

const usage = 'npm run drill:backup [-- --cluster]';

await run(async () => {
  const { values } = readCommandLine(usage, { cluster: { type: 'boolean', default: false } });
  checkEnginePrerequisites();
  await build();
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
process.exit();
