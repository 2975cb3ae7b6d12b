import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-command-line-'));
/** Passes for another `npm start` of the folder, so that a start whose options are accepted starts nothing. */
const starter = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'start.ts'], { stdio: 'ignore' });
writeFileSync(join(folder, 'starter.pid'), String(starter.pid));

afterAll(() => {
  starter.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('an option that a command does not know', () => {
  it.each([
    ['start.ts', '--replica'],
    ['status.ts', '--jsn'],
  ])('of %s is an error that names it: %s', (file, option) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools', file), option], {
      env: { ...process.env, LANYARD_DATA: folder },
      encoding: 'utf8',
    });
    expect(stderr).toContain(`Unknown option '${option}'`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});
