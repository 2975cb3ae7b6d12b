/** `npm run test:openapi [-- --seconds 600] [--seed N]`: sends generated requests for longer than `npm test` does. */
import { spawnSync } from 'node:child_process';
import { command, wholeNumber } from './lanyard/command-line.ts';
import { root } from './lanyard/project.ts';

const usage = 'npm run test:openapi [-- --seconds 600] [--seed N]';
const options = { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } } as const;

await command({ usage, options }, async ({ values }) => {
  const seconds = String(wholeNumber('seconds', values.seconds, 1));
  const seed = values.seed !== undefined && { OPENAPI_SEED: String(wholeNumber('seed', values.seed)) };
  const { status } = spawnSync(process.execPath, ['tools/test.ts', 'scenarios/openapi', '--only-e2e'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, OPENAPI_SECONDS: seconds, ...seed },
  });
  return status ?? 1;
});
