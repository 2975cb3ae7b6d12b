import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { isAlive } from './lanyard/processes.ts';
import { root } from './lanyard/project.ts';

/** Installs the package of the lock file as soon as there is a file `go`. */
const npm = `#!${process.execPath}
const { appendFileSync, copyFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('installations', process.argv.slice(2).join(' ') + '\\n');
writeFileSync('npm.pid', String(process.pid));
while (!existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
mkdirSync('node_modules/planted', { recursive: true });
writeFileSync('node_modules/planted/package.json', '{}');
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

const lock = { packages: { 'node_modules/planted': { version: '1.0.0' } } };

describe('a command in a new clone', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanyard-clone-'));
    for (const name of ['bin', 'tools']) mkdirSync(join(folder, name));
    copyFileSync(join(root, 'tools/run.mjs'), join(folder, 'tools/run.mjs'));
    write('bin/npm', npm, 0o755);
    write('package-lock.json', JSON.stringify(lock));
    write('program.mjs', `console.log('runs');`);
  });

  afterEach(() => {
    write('go', '');
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, content: string, mode = 0o644): void =>
    writeFileSync(join(folder, name), content, { mode });

  const installations = (): number =>
    existsSync(join(folder, 'installations'))
      ? readFileSync(join(folder, 'installations'), 'utf8').split('\n').length - 1
      : 0;

  const start = (...nodeOptions: string[]) => {
    const child = spawn(process.execPath, [...nodeOptions, 'tools/run.mjs', 'program.mjs'], {
      cwd: folder,
      env: { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const [printed, problems, exited] = [text(child.stdout), text(child.stderr), once(child, 'exit')];
    return {
      pid: child.pid,
      ended: async () => ({ code: (await exited)[0] as number | null, out: await printed, problems: await problems }),
    };
  };

  const queue = (): string => readFileSync(join(folder, '.lanyard/install.pids'), 'utf8');

  it('installs the packages, and a second one waits until it has', async () => {
    const first = start();
    await eventually(() => installations() === 1);
    const second = start();
    await eventually(() => expect(queue()).toBe(`${first.pid}\n${second.pid}\n`));
    write('go', '');
    expect(await first.ended()).toEqual({ code: 0, out: 'runs\n', problems: 'installing packages (npm ci)\n' });
    const waited = `waiting for process ${first.pid}, which installs packages\n`;
    expect(await second.ended()).toEqual({ code: 0, out: 'runs\n', problems: waited });
    expect(installations()).toBe(1);
  });

  it('does not wait for one that was killed, whose pid another process may have', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    children.push(other);
    mkdirSync(join(folder, '.lanyard'));
    write('.lanyard/install.pids', `${other.pid}\n`);
    write('go', '');
    expect(await start().ended()).toMatchObject({ code: 0, out: 'runs\n' });
    expect(existsSync(join(folder, '.lanyard/install.pids'))).toBe(false);
  });

  it('that is ended ends its installation, so that the next one does not install at the same time', async () => {
    const file = join(folder, 'npm.pid');
    const npmPid = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    const command = start();
    await eventually(() => npmPid() > 0);
    process.kill(command.pid as number, 'SIGTERM');
    expect(await command.ended()).toMatchObject({ code: 143, out: '' });
    expect(isAlive(npmPid())).toBe(false);
    expect(existsSync(join(folder, '.lanyard/install.pids'))).toBe(false);
  });

  it('installs again what lacks a package that npm noted', async () => {
    write('go', '');
    await start().ended();
    await start().ended();
    expect(installations()).toBe(1);
    rmSync(join(folder, 'node_modules/planted'), { recursive: true });
    expect(await start().ended()).toMatchObject({ code: 0, out: 'runs\n' });
    expect(installations()).toBe(2);
  });

  it('installs again what has the pinned Node without its program', async () => {
    const pinned = `node_modules/node-${process.platform}-${process.arch}`;
    const packages = { ...lock.packages, [pinned]: { version: '24.0.0', optional: true } };
    write('package-lock.json', JSON.stringify({ packages }));
    write('go', '');
    await start().ended();
    mkdirSync(join(folder, pinned), { recursive: true });
    write(`${pinned}/package.json`, JSON.stringify({ version: '24.0.0' }));
    expect(await start().ended()).toMatchObject({ code: 0, out: 'runs\n' });
    expect(installations()).toBe(2);
  });

  it('says what to do without a Node that runs it', async () => {
    write('go', '');
    const withoutTypes = '--no-experimental-strip-types';
    const elsewhere = `Node ${process.versions.node} cannot run this project: install Node 24.\n`;
    expect(await start(withoutTypes).ended()).toMatchObject({ code: 1, problems: expect.stringContaining(elsewhere) });
    const pinned = `node_modules/node-${process.platform}-${process.arch}`;
    write(
      'package-lock.json',
      JSON.stringify({ packages: { ...lock.packages, [pinned]: { version: '24.0.0', optional: true } } }),
    );
    expect(await start(withoutTypes).ended()).toMatchObject({
      code: 1,
      problems: `${pinned}, the Node that runs this project, is missing: run npm ci again, or install Node 24.\n`,
    });
  });
});
