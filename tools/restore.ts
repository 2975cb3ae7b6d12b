/** `npm run restore -- FILE [--overwrite]`: restores a backup into an installation of the same version whose services are stopped. */
import { resolve } from 'node:path';
import { command } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { Stop } from './lanyard/project.ts';

const usage = 'npm run restore -- FILE [--overwrite]';
const options = { overwrite: { type: 'boolean', default: false } } as const;

await command({ usage, options, allowPositionals: true, printsResult: true }, async ({ values, positionals }) => {
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Stop(usage);
  await build();
  const { installation, countsText } = await import('./backup/installation.ts');
  const { restoreBackup } = await import('./backup/backup-file.ts');
  const counts = await restoreBackup(installation(process.env, { forRestore: true }), resolve(file), values);
  process.stdout.write(`${countsText(counts)}\nrestored\n`);
});
