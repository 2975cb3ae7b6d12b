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
    ['cluster.ts', '--nod'],
  ])('of %s is an error that names it: %s', (file, option) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools', file), option], {
      env: { ...process.env, LANYARD_DATA: folder },
      encoding: 'utf8',
    });
    expect(stderr).toContain(`Unknown option '${option}'`);
    expect(stderr).not.toContain('    at ');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});

describe('an error of a service', () => {
  it.each([
    [`InfrastructureUnavailable('Kafka', 'b:9092', 'no answer')`, 'Kafka at b:9092 cannot be reached: no answer'],
    [`ConfigError('DATABASE_URL', 'must be a URL')`, 'DATABASE_URL must be a URL'],
  ])('that the operator can solve is shown without a stack: %s', (error, message) => {
    const script = `
      import { ConfigError, InfrastructureUnavailable } from '@lanyard/service';
      import { run } from '${new URL('lanyard/project.ts', import.meta.url).href}';
      await run(async () => { throw new ${error}; });`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`${message}\n`);
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(1);
  });
});
