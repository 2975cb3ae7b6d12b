/** Processes that do not get the terminal's signals: each has its own session and log file, and is known by its pid. */
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { sleep } from './project.ts';

const logBytesMax = 10 * 1024 * 1024;

const openLog = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && statSync(path).size > logBytesMax) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
};

/** `prepare`: called before each start; `onExit`: called with the exit code, if this process still runs then */
export interface ProcessSpec {
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
  logFile: string;
  uid?: number;
  gid?: number;
  prepare?: () => void;
  onExit?: (code: number | null) => void;
}

/** @returns the pid, or 0 if the program could not be started */
export const launch = ({ command, args, env, cwd, logFile, uid, gid, prepare, onExit }: ProcessSpec): number => {
  prepare?.();
  const log = openLog(logFile);
  const child = spawn(command, args, {
    cwd: cwd ?? '/',
    env: env ?? process.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(uid !== undefined && { uid, gid }),
  });
  closeSync(log);
  child.on('error', () => undefined);
  if (onExit) child.on('exit', onExit);
  child.unref();
  return child.pid ?? 0;
};

export const isAlive = (pid: number | undefined) => {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
};

/** A child of a killed process may not have been reaped yet: it is not alive. */
const isZombie = (pid: number) => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/s, ''));
  } catch {
    return false;
  }
};

/** The command line of a process, or '' when there is none. */
export const commandLine = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
};

/** True when the pid is alive and still belongs to the same process: pids are reused. */
export const isProcess = (pid: number | undefined, marker: string) =>
  pid !== undefined && isAlive(pid) && commandLine(pid).includes(marker);

const pidsInProc = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

const worksIn = (pid: number, folder: string) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
};

/** The pids of processes whose working directory this is. Empty on systems without /proc. */
export const processesIn = (folder: string) => {
  try {
    const path = realpathSync(folder);
    return pidsInProc().filter((pid) => worksIn(pid, path));
  } catch {
    return [];
  }
};

/** The pids of all processes of this machine, with their command lines. */
const commandLines = (): [number, string][] => {
  try {
    return pidsInProc().map((pid) => [pid, commandLine(pid)]);
  } catch {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,command='], { encoding: 'utf8' });
    return (stdout ?? '').split('\n').map((line) => {
      const [, pid = '0', command = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
      return [Number(pid), `${command} `];
    });
  }
};

/**
 * The process of a unit: the recorded one, or else the one whose command line has the unit's signature. The pid may be
 * missing in the record because the disk was full.
 */
export const processOf = ({
  pid,
  marker,
  signature,
}: {
  pid?: number;
  marker: string;
  signature?: string;
}): number | undefined => {
  if (isProcess(pid, marker)) return pid;
  if (!signature) return undefined;
  return commandLines().find(([other, command]) => command.includes(signature) && isAlive(other))?.[0];
};

/** Asks the process to end, waits, then kills it. */
export const stopProcess = async (
  pid: number | undefined,
  { signal = 'SIGTERM', waitMs = 10_000 }: { signal?: NodeJS.Signals; waitMs?: number } = {},
) => {
  if (!pid || !isAlive(pid)) return;
  kill(pid, signal);
  for (const end = Date.now() + waitMs; isAlive(pid) && Date.now() < end;) await sleep(25);
  if (isAlive(pid)) kill(pid, 'SIGKILL');
  while (isAlive(pid)) await sleep(10);
};

export const kill = (pid: number, signal: NodeJS.Signals) => {
  // A program that could not be started has the pid 0, which would stand for this process and its whole group.
  if (pid === 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
};
