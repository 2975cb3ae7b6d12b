/** `npm run backup [-- FILE]`: everything that services have stored, while they run. Secrets are not in it. */
import { resolve } from 'node:path';
import { build, installPackages } from './lanyard/install.mjs';
import { progress, run, say } from './lanyard/project.mjs';

progress.stream = process.stderr;

await run(async () => {
  await installPackages();
  await build();
  const { installation, countsText } = await import('./backup/installation.mjs');
  const { writeBackup } = await import('./backup/backup-file.mjs');
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = resolve(process.argv[2] ?? `lanyard-${stamp}.backup`);
  const counts = await writeBackup(installation(), file);
  process.stdout.write(`${countsText(counts)}\n${file}\n`);
  say(
    'Keep IDENTITY_SECRETS and ENCRYPTION_KEY (.lanyard/secrets.json) elsewhere: without the key, what is sealed stays so.',
  );
});
process.exit();
