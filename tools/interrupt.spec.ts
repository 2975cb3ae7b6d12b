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

/** As a drill with two systems does: the stop of one takes until standard input ends. */
const drill = `
  import { stopWhenInterrupted } from '${new URL('lanyard/interrupt.ts', import.meta.url).href}';
  process.stdin.resume();
  const ended = new Promise((done) => process.stdin.once('end', done));
  stopWhenInterrupted(async () => undefined);
  const notInterrupted = stopWhenInterrupted(async () => {
    notInterrupted();
    console.log('stopping');
    await ended;
    console.log('stopped');
  });
  console.log('running');`;

/** What the program prints, and how it ends, when the signal comes once it runs and again while it stops. */
const interruptedTwice = async (script: string, signal: NodeJS.Signals): Promise<unknown> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const exited = once(child, 'exit');
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    if (line !== 'stopped') child.kill(signal);
    if (line === 'stopping') child.stdin.end();
  }
  return { printed, exited: await exited };
};

describe('an interrupt of npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-interrupt-'));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s may come twice: the second does not end the stop',
    async (signal) => {
      expect(await interruptedTwice(program, signal)).toEqual({
        printed: ['running', 'stopping', 'stopped'],
        exited: [0, null],
      });
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

describe('an interrupt of a drill or a benchmark', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s may come twice: neither the second nor the end of another stop ends the stop',
    async (signal) => {
      expect(await interruptedTwice(drill, signal)).toEqual({
        printed: ['running', 'stopping', 'stopped'],
        exited: [130, null],
      });
    },
  );
});
