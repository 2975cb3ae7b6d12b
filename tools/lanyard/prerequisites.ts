import { spawnSync } from 'node:child_process';
import { Stop } from './project.ts';

const mac = process.platform === 'darwin';

/** Whether Maven is 3.6 or later. */
const isSupportedMaven = (out: string): boolean => {
  const [major = 0, minor = 0] = (/Apache Maven (\d+)\.(\d+)/.exec(out) ?? []).slice(1).map(Number);
  return major > 3 || (major === 3 && minor >= 6);
};

const forInfrastructure: {
  name: string;
  command: string[];
  install: string;
  installMac: string;
  wanted: (out: string) => boolean;
  need: string;
}[] = [
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
    wanted: isSupportedMaven,
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

/** Checks the prerequisites of the embedded infrastructure. Throws Stop with what is missing and the command that installs it. */
export const checkInfrastructurePrerequisites = () => {
  const missing = forInfrastructure.filter(({ command: [program, ...args], wanted }) => {
    const { error, stdout, stderr } = spawnSync(program as string, args, { encoding: 'utf8' });
    return error !== undefined || !wanted(`${stdout}${stderr}`);
  });
  if (missing.length === 0) return;
  const lines = missing.map((m) => `  ${m.name} ${m.need}:  ${mac ? m.installMac : m.install}`);
  throw new Stop(
    `Missing on this machine:\n${lines.join('\n')}\nOr point KAFKA_BROKERS, DATABASE_URL and REDIS_URL at servers that run elsewhere.`,
  );
};
