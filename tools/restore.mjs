/** `npm run restore -- FILE [--overwrite]`: a backup into an installation of the same version whose services stand still. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, installPackages } from './lanyard/install.mjs';
import { progress, run, Stop } from './lanyard/project.mjs';

progress.stream = process.stderr;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { overwrite: { type: 'boolean', default: false } },
});

await run(async () => {
  const [file] = positionals;
  if (file === undefined) throw new Stop('npm run restore -- FILE [--overwrite]');
  await installPackages();
  await build();
  const { installation, countsText } = await import('./backup/installation.mjs');
  const { restoreBackup } = await import('./backup/backup-file.mjs');
  const counts = await restoreBackup(installation(), resolve(file), values);
  process.stdout.write(`${countsText(counts)}\nrestored\n`);
});
process.exit();
