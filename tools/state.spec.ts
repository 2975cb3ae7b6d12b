import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';
import { secretsOf, StateFile } from './lanyard/state.ts';

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

describe('a power failure', () => {
  it('does not lose secrets: they are on the disk before they have their name, and then the name', () => {
    const data = join(folder, 'secrets');
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { fsyncSync, renameSync } = fs;
      fs.fsyncSync = (opened) => {
        const stat = fs.fstatSync(opened);
        console.log(stat.isDirectory() ? 'folder' : stat.size > 0 ? 'file' : 'nothing');
        fsyncSync(opened);
      };
      fs.renameSync = (...paths) => {
        console.log('rename');
        renameSync(...paths);
      };
      syncBuiltinESMExports();
      const { secretsOf } = await import('./tools/lanyard/state.ts');
      secretsOf(${JSON.stringify(data)});`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(stdout).toBe('file\nrename\nfolder\n');
    expect(secretsOf(data).databasePassword).toHaveLength(48);
  });

  it.each(['', '\0\0\0'])('that leaves %j in state.json does not keep npm start from starting', (left) => {
    const data = mkdtempSync(join(folder, 'state-'));
    writeFileSync(join(data, 'state.json'), left);
    expect(new StateFile(data).state).toEqual({ ports: {}, coap_urls: [], units: [] });
  });
});
