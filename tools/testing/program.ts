/** A program of this project as a separate process, whose first line ends with the port on which it listens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../lanyard/project.ts';

export const startProgram = async (script: string, ...args: string[]) => {
  const child = spawn(process.execPath, [join(root, script), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    process.off('exit', stop);
    throw new Error(`${script} ended`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  return { child, lines, port: Number(line.split(' ')[1]), stop };
};
