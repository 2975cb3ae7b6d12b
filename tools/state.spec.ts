import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isAlive } from './lanyard/processes.ts';
import { root } from './lanyard/project.ts';
import { secretsOf, StateFile, type Unit } from './lanyard/state.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-state-'));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Node with these arguments, in the project's folder. */
const node = (...args: string[]) => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  return child;
};

const endless = 'setInterval(() => undefined, 1000)';

describe('the pid of the starter that is on record', () => {
  /** Of a process that Node runs, with these arguments. */
  const recorded = (...args: string[]): { file: StateFile; pid: number } => {
    const child = node('-e', endless, ...args);
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

  it('stays when another starter ends, which had the lock before', () => {
    const { file, pid } = recorded('tools/run.mjs', 'tools/start.ts');
    file.release();
    expect(file.runningStarter()).toBe(pid);
  });

  it('is that of one starter when many begin at the same time, after one that was killed', async () => {
    const data = mkdtempSync(join(folder, 'lock-'));
    const script = `
      import { StateFile } from './tools/lanyard/state.ts';
      console.log(new StateFile(${JSON.stringify(data)}).acquire());
      process.stdin.resume();`;
    writeFileSync(join(data, 'starter.pid'), '999999999');
    const answerOf = async (): Promise<string> =>
      String(await once(node('--input-type=module', '-e', script, 'tools/start.ts').stdout, 'data'));
    const answers = await Promise.all(Array.from({ length: 5 }, answerOf));
    expect(answers.toSorted()).toEqual(['false\n', 'false\n', 'false\n', 'false\n', 'true\n']);
  });
});

describe('npm stop', () => {
  it('does not stop what belongs to a start that began meanwhile', async () => {
    const data = mkdtempSync(join(folder, 'stop-'));
    const lock = join(data, 'starter.pid');
    const [next, planted] = [node('-e', endless, 'tools/start.ts'), node('-e', endless, 'planted')];
    const unit: Unit = {
      kind: 'service',
      name: 'planted',
      version: '0',
      pid: planted.pid as number,
      address: '',
      marker: 'planted',
      restarts: 0,
      stopSignal: 'SIGTERM',
    };
    writeFileSync(join(data, 'state.json'), JSON.stringify({ ports: {}, coap_urls: [], units: [unit] }));
    const script = `
      process.on('SIGTERM', () => {
        require('node:fs').writeFileSync(${JSON.stringify(lock)}, '${next.pid}');
        process.exit();
      });
      ${endless};
      console.log('running');`;
    const starter = node('-e', script, 'tools/start.ts');
    await once(starter.stdout, 'data');
    writeFileSync(lock, String(starter.pid));
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'tools/stop.ts')], {
      env: { ...process.env, LANYARD_DATA: data },
    });
    expect(stdout).toContain(`npm start runs again (pid ${next.pid})`);
    expect([isAlive(planted.pid), isAlive(next.pid)]).toEqual([true, true]);
    expect(readFileSync(lock, 'utf8')).toBe(String(next.pid));
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
