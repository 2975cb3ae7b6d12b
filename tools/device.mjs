/** `npm run device -- --name x`: a demonstration device against the running system. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', 'libs/testing'], {
  cwd: root,
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);

const device = spawn(process.execPath, ['libs/testing/dist/device/cli.js', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches both: the device deregisters, this waits for it.
process.on('SIGINT', () => undefined);
device.on('exit', (code) => process.exit(code ?? 0));
