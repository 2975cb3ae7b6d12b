import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Unit } from './lanyard/state.ts';
import { System } from './lanyard/system.ts';

/** As `npm start` does: its stop takes until standard input ends. */
const program = `
  import { interruption } from '${new URL('lanyard/interrupt.ts', import.meta.url).href}';
  const interrupted = interruption();
  process.stdin.resume();
  const ended = new Promise((done) => process.stdin.once('end', done));
  interrupted.addEventListener('abort', async () => {
    console.log('stopping');
    await ended;
    console.log('stopped');
  });
  console.log('running');`;

describe('an interrupt of npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-interrupt-'));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s may come twice: the second does not end the stop',
    async (signal) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
      const exited = once(child, 'exit');
      const printed: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        printed.push(line);
        if (line !== 'stopped') child.kill(signal);
        if (line === 'stopping') child.stdin.end();
      }
      expect(printed).toEqual(['running', 'stopping', 'stopped']);
      expect(await exited).toEqual([0, null]);
    },
  );

  it('ends the wait for a service that is starting', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const controller = new AbortController();
    const system = new System({ dataDir: folder, quiet: true, interrupted: controller.signal });
    const unit: Unit = {
      kind: 'service',
      name: 'planted',
      version: '0',
      pid: child.pid as number,
      address: 'http://127.0.0.1:1',
      marker: 'setInterval',
      restarts: 0,
      stopSignal: 'SIGTERM',
    };
    system.supervised.push({ unit, launch: () => 0 });
    try {
      const waiting = system.ready('planted');
      controller.abort();
      await expect(waiting).rejects.toThrow('planted ended while starting');
    } finally {
      child.kill('SIGKILL');
    }
  });
});
