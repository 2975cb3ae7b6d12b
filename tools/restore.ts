/** `npm run restore -- FILE [--overwrite]`: a backup into an installation of the same version whose services stand still. */
import { resolve } from 'node:path';
import { readCommandLine } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { progress, run, Stop } from './lanyard/project.ts';

progress.stream = process.stderr;

const usage = 'npm run restore -- FILE [--overwrite]';
const options = { overwrite: { type: 'boolean', default: false } } as const;

await run(async () => {
  const { values, positionals } = readCommandLine(usage, options, { allowPositionals: true });
  const [file] = positionals;
  if (file === undefined) throw new Stop(usage);
  await build();
  const { installation, countsText } = await import('./backup/installation.ts');
  const { restoreBackup } = await import('./backup/backup-file.ts');
  const counts = await restoreBackup(installation(), resolve(file), values);
  process.stdout.write(`${countsText(counts)}\nrestored\n`);
});
process.exit();
