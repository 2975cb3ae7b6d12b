/** What devices that are compiled here need (e2e/interop, docs/interop.md): looked for, and installed where that can be done. */
import { spawnSync } from 'node:child_process';
import { say, Stop } from './project.ts';

const needed: { name: string; command: string[]; packages: string[] }[] = [
  { name: 'a C compiler', command: ['cc', '--version'], packages: ['gcc', 'libc6-dev'] },
  { name: 'pkg-config', command: ['pkg-config', '--version'], packages: ['pkg-config'] },
  {
    name: 'libcoap 4.3 with OpenSSL',
    command: ['pkg-config', '--atleast-version=4.3.1', 'libcoap-3-openssl'],
    packages: ['libcoap3-dev', 'libssl-dev'],
  },
  {
    name: "libcoap's coap-client with OpenSSL",
    // Without arguments it says how it is used and ends with 1.
    command: ['coap-client-openssl'],
    packages: ['libcoap3-bin'],
  },
];

const works = ([program = '', ...args]: string[]) => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined && (status === 0 || /Usage:/.test(stderr));
};

const missingNow = () => needed.filter(({ command }) => !works(command));

const aptGet = (args: string[]) => {
  const { error, status } = spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=3', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return error === undefined && status === 0;
};

/** Of Debian and what comes from it, by root. What does not succeed is seen by what is missing afterwards. */
const install = (packages: string[]) => {
  if (process.getuid?.() !== 0 || !works(['apt-get', '--version'])) return;
  say(`installing ${packages.join(', ')}`);
  if (aptGet(['update'])) aptGet(['install', '--yes', '--no-install-recommends', ...packages]);
};

/**
 * The environment in which the end-to-end tests compile these devices and run them. Throws Stop naming what is missing and the
 * command that installs it.
 * @param options whether what is missing is installed first
 */
export const environmentOfCompiledDevices = ({ installs }: { installs: boolean }) => {
  const missingAtFirst = missingNow();
  if (installs && missingAtFirst.length > 0) install(missingAtFirst.flatMap(({ packages }) => packages));
  const missing = missingNow();
  if (missing.length > 0) {
    const lines = missing.map(({ name, packages }) => `  ${name}:  apt-get install ${packages.join(' ')}`);
    throw new Stop(`Missing on this machine:\n${lines.join('\n')}`);
  }
  const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'libcoap-3-openssl'], { encoding: 'utf8' });
  return { LANYARD_INTEROP: 'true', LIBCOAP_FLAGS: flags.stdout.trim() };
};
