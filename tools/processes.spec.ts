import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-processes-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a signal to a program that could not be started reaches no process', async () => {
  const script = `
    import { kill, launch } from '${new URL('lanyard/processes.ts', import.meta.url).href}';
    const logFile = ${JSON.stringify(join(folder, 'program.log'))};
    kill(launch({ command: 'lanyard-no-program', args: [], logFile }), 'SIGKILL');
    console.log('lives');`;
  // In a group of its own, because the signal would reach all of its group.
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await text(child.stdout)).toBe('lives\n');
});
