/** Runs other programs of this machine, and installs the Debian packages that provide them. */
import { spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { progress, root, say, Stop } from './project.ts';

export const succeeds = (program: string, args: readonly string[], timeout: number = 30_000) =>
  spawnSync(program, args, { cwd: root, stdio: 'ignore', timeout }).status === 0;

/** The output of a short command. Throws Stop with its error output if it fails. */
export const outputOf = (program: string, args: readonly string[], options: SpawnSyncOptions = {}): string => {
  const all = { maxBuffer: 1 << 28, ...options, encoding: 'utf8' } as const;
  const { error, status, stdout, stderr } = spawnSync(program, args, all);
  if (status !== 0) throw new Stop(`${program} ${args.join(' ')}: ${stderr || stdout || (error?.message ?? status)}`);
  return stdout;
};

/** Minor version of Go that Kubernetes and pion need; Debian's is older. */
export const goMinor = 24;

export const hasGo = () => {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, major = 0, minor = 0] = /^go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(major) > 1 || Number(minor) >= goMinor;
};

/** Runs a program, and shows its output as progress. Rejects with Stop if it fails or is missing. */
export const runProgram = (program: string, args: string[], env: Record<string, string> = {}) =>
  new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', progress.stream.fd, 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', ({ message }) => failed(new Stop(message)));
    child.on('exit', (code, signal) =>
      code === 0 ? done(undefined) : failed(new Stop(`${program} ${args.join(' ')} ended with ${signal ?? code}`)),
    );
  });

/** Installs Debian packages as root; for other users, throws Stop with the command. */
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
  // The package lists may be missing or old.
  if (!aptGet(install) && !(aptGet(['update']) && aptGet(install))) throw new Stop(`This failed: ${command}`);
};
