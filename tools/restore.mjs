/** `npm run restore -- FILE [--overwrite]`: a backup into an installation of the same version whose services stand still. */
import { resolve } from 'node:path';
import { readCommandLine } from './lanyard/command-line.mjs';
import { build, prepare } from './lanyard/install.mjs';
import { progress, run, Stop } from './lanyard/project.mjs';

progress.stream = process.stderr;

const usage = 'npm run restore -- FILE [--overwrite]';
const options = /** @type {const} */ ({ overwrite: { type: 'boolean', default: false } });

await run(async () => {
  const { values, positionals } = readCommandLine(usage, options, { allowPositionals: true });
  const [file] = positionals;
  if (file === undefined) throw new Stop(usage);
  await prepare();
  await build();
  const { installation, countsText } = await import('./backup/installation.mjs');
  const { restoreBackup } = await import('./backup/backup-file.mjs');
  const counts = await restoreBackup(installation(), resolve(file), values);
  process.stdout.write(`${countsText(counts)}\nrestored\n`);
});
process.exit();
