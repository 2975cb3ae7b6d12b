import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { StateFile } from './lanyard/state.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-state-'));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the pid of the starter that is on record', () => {
  /** Of a process that Node runs, with these arguments. */
  const recorded = (...args: string[]): { file: StateFile; pid: number } => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', ...args], { stdio: 'ignore' });
    children.push(child);
    const file = new StateFile(folder);
    const pid = child.pid as number;
    writeFileSync(file.lock, String(pid));
    return { file, pid };
  };

  it('counts while npm start runs', () => {
    const { file, pid } = recorded('tools/run.mjs', 'tools/start.ts');
    expect(file.runningStarter()).toBe(pid);
    expect(file.acquire()).toBe(false);
  });

  it('counts for nothing when another program that Node runs has it by now', () => {
    const { file } = recorded('another.js');
    expect(file.runningStarter()).toBeUndefined();
    expect(file.acquire()).toBe(true);
    file.release();
    expect(existsSync(file.lock)).toBe(false);
  });
});
