/** `npm run test:openapi [-- --seconds 600] [--seed N]`: generated requests for longer than `npm test` sends them. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './lanyard/project.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } } });
const { status } = spawnSync(process.execPath, ['tools/test.mjs', 'scenarios/openapi', '--only-e2e'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, OPENAPI_SECONDS: values.seconds, ...(values.seed && { OPENAPI_SEED: values.seed }) },
});
process.exitCode = status ?? 1;
