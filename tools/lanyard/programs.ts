/** Other programs of this machine, and Debian's packages that bring them. */
import { spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { progress, root, say, Stop } from './project.ts';

export const succeeds = (program: string, args: readonly string[], timeout: number = 30_000) =>
  spawnSync(program, args, { cwd: root, stdio: 'ignore', timeout }).status === 0;

/** What a short command prints. Throws Stop with what it says where it fails. */
export const outputOf = (program: string, args: readonly string[], options: SpawnSyncOptions = {}): string => {
  const all = { maxBuffer: 1 << 28, ...options, encoding: 'utf8' } as const;
  const { error, status, stdout, stderr } = spawnSync(program, args, all);
  if (status !== 0) throw new Stop(`${program} ${args.join(' ')}: ${stderr || stdout || (error?.message ?? status)}`);
  return stdout;
};

/** Debian's is older than what Kubernetes and pion are built with. */
export const goMinor = 24;

export const hasGo = () => {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, major = 0, minor = 0] = /^go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(major) > 1 || Number(minor) >= goMinor;
};

/** Its output is progress. Rejects with Stop where it fails. */
export const runProgram = (program: string, args: string[], env: Record<string, string> = {}) =>
  new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', progress.stream.fd, 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', failed);
    child.on('exit', (code, signal) =>
      code === 0 ? done(undefined) : failed(new Stop(`${program} ${args.join(' ')} ended with ${signal ?? code}`)),
    );
  });

/** Root installs packages of Debian; anyone else is told the command. Throws Stop. */
export const installPackages = (names: readonly string[]) => {
  const install = ['install', '--yes', '--no-install-recommends', ...new Set(names)];
  const command = `apt-get ${install.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Stop(`Missing on this machine: sudo ${command}`);
  say(command);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (args: string[]) =>
    spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=3', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    }).status === 0;
  // The lists of packages may be missing or old.
  if (!aptGet(install) && !(aptGet(['update']) && aptGet(install))) throw new Stop(`This failed: ${command}`);
};
