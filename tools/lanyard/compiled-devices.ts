/** Prerequisites of the devices that are compiled here (e2e/interop, docs/interop.md): checked, and installed if possible. */
import { spawnSync } from 'node:child_process';
import { goMinor, hasGo, installPackages, outputOf } from './programs.ts';
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
    // Without arguments, it prints its usage and ends with 1.
    command: ['coap-client-openssl'],
    packages: ['libcoap3-bin'],
  },
  { name: "libcoap's coap-client with GnuTLS", command: ['coap-client-gnutls'], packages: ['libcoap3-bin'] },
  { name: 'openssl', command: ['openssl', 'version'], packages: ['openssl'] },
  { name: 'gnutls-cli', command: ['gnutls-cli', '--version'], packages: ['gnutls-bin'] },
  {
    name: 'autoconf, for the tinydtls of DTLSSocket',
    command: ['autoreconf', '--version'],
    packages: ['autoconf', 'automake', 'make'],
  },
  {
    name: 'the headers of Python 3, for DTLSSocket',
    command: ['python3', '-c', "import os, sysconfig; os.stat(sysconfig.get_path('include') + '/Python.h')"],
    packages: ['python3-dev', 'python3-venv'],
  },
];

const works = ([program = '', ...args]: string[]) => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined && (status === 0 || /Usage:/.test(stderr));
};

const missingNow = () => needed.filter(({ command }) => !works(command));

/**
 * The environment in which the end-to-end tests compile and run these devices. Throws Stop with what is missing and the
 * command that installs it.
 * @param options whether missing packages are installed first
 */
export const environmentOfCompiledDevices = ({ installs }: { installs: boolean }) => {
  const missingAtFirst = missingNow();
  if (installs && missingAtFirst.length > 0) installPackages(missingAtFirst.flatMap(({ packages }) => packages));
  const missing = missingNow();
  if (missing.length > 0) {
    const lines = missing.map(({ name, packages }) => `  ${name}:  apt-get install ${packages.join(' ')}`);
    throw new Stop(`Missing on this machine:\n${lines.join('\n')}`);
  }
  const flags = outputOf('pkg-config', ['--cflags', '--libs', 'libcoap-3-openssl']);
  const go = hasGo();
  if (!go) say(`pion is not tested, missing: Go 1.${goMinor}`);
  return { LANYARD_INTEROP: 'true', LIBCOAP_FLAGS: flags.trim(), ...(go && { LANYARD_GO: 'true' }) };
};
