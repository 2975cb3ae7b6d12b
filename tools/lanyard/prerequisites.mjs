import { spawnSync } from 'node:child_process';
import { Stop } from './project.mjs';

const mac = process.platform === 'darwin';

/** @type {{name: string, command: string[], install: string, installMac: string, wanted: (out: string) => boolean, need: string}[]} */
const forEngines = [
  {
    name: 'Java',
    need: '17 or later',
    command: ['java', '-version'],
    install: 'apt-get install openjdk-17-jre-headless',
    installMac: 'brew install openjdk@17',
    wanted: (out) => Number(/version "(\d+)/.exec(out)?.[1] ?? 0) >= 17,
  },
  {
    name: 'Maven',
    need: '3.6 or later',
    command: ['mvn', '-v'],
    install: 'apt-get install maven',
    installMac: 'brew install maven',
    wanted: (out) => /Apache Maven [3-9]/.test(out),
  },
  {
    name: 'tar',
    need: 'to unpack PostgreSQL',
    command: ['tar', '--version'],
    install: 'apt-get install tar',
    installMac: 'brew install gnu-tar',
    wanted: () => true,
  },
];

export const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Stop(`Node ${process.versions.node} is too old: install Node 20.19 or later.`);
};

/** What the embedded engines need. Throws Stop naming what is missing and the command that installs it. */
export const checkEnginePrerequisites = () => {
  const missing = forEngines.filter(({ command: [program, ...args], wanted }) => {
    const { error, stdout, stderr } = spawnSync(/** @type {string} */ (program), args, { encoding: 'utf8' });
    return error !== undefined || !wanted(`${stdout}${stderr}`);
  });
  if (missing.length === 0) return;
  const lines = missing.map((m) => `  ${m.name} ${m.need}:  ${mac ? m.installMac : m.install}`);
  throw new Stop(
    `Missing on this machine:\n${lines.join('\n')}\nOr point KAFKA_BROKERS, DATABASE_URL and REDIS_URL at engines that run elsewhere.`,
  );
};
