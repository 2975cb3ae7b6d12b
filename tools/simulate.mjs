/** `npm run simulate -- --devices 1000`: a fleet of devices against the running system. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', 'apps/simulator'], {
  cwd: root,
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);

const simulator = spawn(process.execPath, ['apps/simulator/dist/main.js', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches both: the devices deregister, this waits for them.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => simulator.kill('SIGTERM'));
simulator.on('exit', (code) => process.exit(code ?? 0));
