import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { infrastructure as shared } from '@lanyard/testing';
import { startInfrastructure } from './lanyard/infrastructure.ts';
import { isAlive } from './lanyard/processes.ts';
import type { InfrastructureUrls } from './lanyard/service-processes.ts';
import type { Unit } from './lanyard/state.ts';

describe('a server that a killed npm start left behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-left-'));
  let child: ChildProcess | undefined;

  afterEach(() => void child?.kill('SIGKILL'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const leftOver = (name: string, address: string = '127.0.0.1:1'): Unit => {
    const marker = `planted-${name}`;
    child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', marker], { stdio: 'ignore' });
    const pid = child.pid as number;
    return { kind: 'infrastructure', name, version: '0', pid, address, marker, restarts: 0, stopSignal: 'SIGTERM' };
  };

  const elsewhere = (): InfrastructureUrls => ({ ...shared(), brokers: shared().brokers.join(',') });

  const startWith = (
    left: Unit,
    infrastructure: Partial<InfrastructureUrls> = elsewhere(),
    dataDir: string = folder,
  ): ReturnType<typeof startInfrastructure> =>
    startInfrastructure({
      dataDir,
      logs: folder,
      secrets: { databasePassword: '' },
      state: { ports: {} },
      launchUnit: () => undefined,
      leftOvers: [left],
      infrastructure,
      say: () => undefined,
    });

  it.each(['kafka', 'postgresql', 'redis'])('is stopped when %s runs elsewhere now', async (name) => {
    const left = leftOver(name);
    await startWith(left);
    expect(isAlive(left.pid)).toBe(false);
  });

  it('continues when it is the one that the environment names', async () => {
    const left = leftOver('kafka', elsewhere().brokers);
    await startWith(left);
    expect(isAlive(left.pid)).toBe(true);
  });

  it('is stopped when the start that adopts it fails', async () => {
    const left = leftOver('kafka');
    const { databaseUrl, redisUrl } = elsewhere();
    const starting = startWith(left, { databaseUrl, redisUrl }, join(folder, 'a,b'));
    await expect(starting).rejects.toThrow('a folder whose path has a comma');
    expect(isAlive(left.pid)).toBe(false);
  });
});
