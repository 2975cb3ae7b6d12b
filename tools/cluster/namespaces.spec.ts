import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive, kill, processOf } from '../lanyard/processes.ts';
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

describe('the start of a member', () => {
  const bin = join(folder, 'bin');
  const usualPath = process.env['PATH'];

  const program = (name: string, lines: string[]): void =>
    writeFileSync(join(bin, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });

  beforeAll(() => {
    mkdirSync(bin);
    process.env['PATH'] = `${bin}:${usualPath}`;
    // As util-linux's, but without namespaces: its child mounts something before it becomes the program.
    program('unshare', ['(sleep 0.2; exec sleep infinity) &', 'wait']);
    // Writes down what is to enter, and fails, as where a mount is not permitted.
    program('nsenter', [`tr '\\0' ' ' < "/proc/$2/cmdline" > '${join(folder, 'entered')}'`, 'exit 1']);
  });

  afterAll(() => {
    process.env['PATH'] = usualPath;
  });

  it('waits for the mounts of its namespaces, and leaves nothing behind when its own mounts fail', async () => {
    await expect(Namespace.start(member)).rejects.toThrow('nsenter');
    expect(readFileSync(join(folder, 'entered'), 'utf8')).toBe('sleep infinity ');
    const signature = `LANYARD_CLUSTER_MEMBER=${member.folder}`;
    expect(processOf({ marker: signature, signature })).toBeUndefined();
  });
});
