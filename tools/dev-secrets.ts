/** `npm run --silent dev-secrets | kubectl apply -f -`: the Secrets that k8s/overlays/local needs before it is applied. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { command } from './lanyard/command-line.ts';
import { root } from './lanyard/project.ts';
import { devSecrets } from './manifests/dev-secrets.ts';

const usage = 'npm run --silent dev-secrets | kubectl apply -f -';

await command({ usage, printsResult: true }, async () => {
  const file = join(root, '.env');
  execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), file], { stdio: ['ignore', 2, 2] });
  const items = devSecrets(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>);
  process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
});
