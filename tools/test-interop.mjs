/**
 * `npm run test:interop`: devices that have to be compiled here, beside those of `npm test`. Says what is missing on this
 * machine, and ends with 1 then. See docs/interop.md.
 */
import { spawnSync } from 'node:child_process';
import { root, run, Stop } from './lanyard/project.mjs';

const compiler = 'apt-get install build-essential';

/** @type {{ name: string, commands: string[][], install: string }[]} */
const needed = [
  { name: 'a C compiler', commands: [['cc', '--version']], install: compiler },
  { name: 'pkg-config', commands: [['pkg-config', '--version']], install: 'apt-get install pkg-config' },
  {
    name: 'libcoap 4.3 with OpenSSL',
    commands: [['pkg-config', '--atleast-version=4.3.1', 'libcoap-3-openssl']],
    install: 'apt-get install libcoap3-dev libssl-dev',
  },
  {
    name: "libcoap's coap-client with OpenSSL",
    // Without arguments it says how it is used and ends with 1.
    commands: [['coap-client-openssl']],
    install: 'apt-get install libcoap3-bin',
  },
];

/** @param {string[]} command */
const works = ([program = '', ...args]) => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined && (status === 0 || /Usage:/.test(stderr));
};

await run(async () => {
  const missing = needed.filter(({ commands }) => !commands.every(works));
  if (missing.length > 0) {
    const lines = missing.map(({ name, install }) => `  ${name}:  ${install}`);
    throw new Stop(`Missing on this machine:\n${lines.join('\n')}`);
  }
  const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'libcoap-3-openssl'], { encoding: 'utf8' });
  const { status } = spawnSync(process.execPath, ['tools/test.mjs', 'interop', '--only-e2e'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, LANYARD_INTEROP: 'true', LIBCOAP_FLAGS: flags.stdout.trim() },
  });
  return status ?? 1;
});
