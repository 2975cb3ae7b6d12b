/** `npm run checks`: runs every tools/check-*.ts, even after one has failed. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './lanyard/command-line.ts';
import { root } from './lanyard/project.ts';

await command({ usage: 'npm run checks' }, async () => {
  const checks = readdirSync(join(root, 'tools')).filter((name) => /^check-.*\.ts$/.test(name));
  const failed = checks.filter((name) => {
    const { status } = spawnSync(process.execPath, [join('tools', name)], { cwd: root, stdio: 'inherit' });
    process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
    return status !== 0;
  });
  return failed.length > 0 ? 1 : 0;
});
