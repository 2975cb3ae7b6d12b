import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isAlive, kill } from '../lanyard/processes.ts';
import { Namespace } from './namespaces.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-namespaces-'));
const member = { name: 'node1', address: '10.99.7.11', folder: join(folder, 'node1') };
const pids: number[] = [];

afterAll(() => {
  for (const pid of pids) kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The pid of a shell, with these arguments, and that of its only child. */
const shellWithChild = async (...args: string[]): Promise<[shell: number, child: number]> => {
  const script = 'sleep infinity & echo $!; wait';
  const shell = spawn('sh', ['-c', script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const printed = String(await once(shell.stdout, 'data'));
  const found: [number, number] = [shell.pid as number, Number(printed)];
  pids.push(...found);
  return found;
};

describe('the stop of a member', () => {
  it('ends its first process, and the one by which it is found', async () => {
    const [shell, child] = await shellWithChild(`LANYARD_CLUSTER_MEMBER=${member.folder}`);
    await new Namespace(member, shell).stop();
    expect([isAlive(shell), isAlive(child)]).toEqual([false, false]);
  });

  it('leaves a process alone that has its pid by now, and the children of that process', async () => {
    const [shell, child] = await shellWithChild('another program');
    await new Namespace(member, shell).stop();
    expect([isAlive(shell), isAlive(child)]).toEqual([true, true]);
  });
});
