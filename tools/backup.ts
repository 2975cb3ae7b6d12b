/** `npm run backup [-- FILE]`: saves everything that services have stored, while they run. The backup contains no secrets. */
import { resolve } from 'node:path';
import { command } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { say, Stop } from './lanyard/project.ts';

const usage = 'npm run backup [-- FILE]';

await command({ usage, allowPositionals: true, printsResult: true }, async ({ positionals }) => {
  if (positionals.length > 1) throw new Stop(usage);
  await build();
  const { installation, countsText } = await import('./backup/installation.ts');
  const { writeBackup } = await import('./backup/backup-file.ts');
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = resolve(positionals[0] ?? `lanyard-${stamp}.backup`);
  const counts = await writeBackup(installation(), file);
  process.stdout.write(`${countsText(counts)}\n${file}\n`);
  say('Keep ENCRYPTION_KEY (.lanyard/secrets.json) elsewhere: without it, encrypted data cannot be read.');
});
