/** Programs as separate processes, which end with this process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AddressInfo } from 'node:net';
import { root } from '../lanyard/project.ts';

/** Kills the child when this process ends, so that a failed program leaves nothing behind. */
export const endsWithThisProcess = (child: ChildProcess) => {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
};

/** Starts a command whose first line ends with the port on which it listens, and which answers each line with a line. */
export const startCommand = async (command: string, args: readonly string[]) => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  endsWithThisProcess(child);
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${command} ${args[0]} ended`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  const ask = async (): Promise<string> => {
    const answer = once(lines, 'line');
    child.stdin.write('\n');
    return (await answer)[0];
  };
  return { child, lines, port: Number(line.split(' ')[1]), ask, stop: () => void child.kill('SIGKILL') };
};

/** Starts a program of this project. */
export const startProgram = (script: string, ...args: string[]) =>
  startCommand(process.execPath, [join(root, script), ...args]);

/** Says, in a program that `startProgram` started, on which port its server listens. */
export const sayPort = (server: { address(): unknown }) => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${port}\n`);
};
