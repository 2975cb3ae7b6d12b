import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isAlive, kill } from '../lanyard/processes.ts';
import type { Unit } from '../lanyard/state.ts';
import { endPrevious } from './check.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-check-'));
const cluster = join(folder, 'cluster-check');
const bin = join(folder, 'bin');
const usualPath = process.env['PATH'];
const pids: number[] = [];

beforeAll(() => {
  for (const path of [bin, join(cluster, 'infrastructure')]) mkdirSync(path, { recursive: true });
  // No cluster of another folder has a link here.
  writeFileSync(join(bin, 'ip'), '#!/bin/sh\n', { mode: 0o755 });
  process.env['PATH'] = `${bin}:${usualPath}`;
});

afterAll(() => {
  process.env['PATH'] = usualPath;
  for (const pid of pids) kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A shell with this text in its command line, which ends with its child. */
const plant = async (marker: string): Promise<number> => {
  const script = 'sleep infinity & echo $!; wait';
  const shell = spawn('sh', ['-c', script, marker], { stdio: ['ignore', 'pipe', 'ignore'] });
  const child = Number(String(await once(shell.stdout, 'data')));
  pids.push(shell.pid as number, child);
  return shell.pid as number;
};

it('a check ends the members and the servers that a killed check left behind', async () => {
  const [control, server] = [
    await plant(`LANYARD_CLUSTER_MEMBER=${join(cluster, 'control')}`),
    await plant('planted server'),
  ];
  const unit: Unit = {
    kind: 'infrastructure',
    name: 'redis',
    version: '0',
    pid: server,
    address: '',
    marker: 'planted server',
    restarts: 0,
    stopSignal: 'SIGTERM',
  };
  const left = { nodes: 1, network: '10.99.7', members: { control } };
  writeFileSync(join(cluster, 'state.json'), JSON.stringify(left));
  const servers = { ports: {}, coap_urls: [], units: [unit] };
  writeFileSync(join(cluster, 'infrastructure/state.json'), JSON.stringify(servers));
  await endPrevious(cluster);
  expect([isAlive(control), isAlive(server), existsSync(cluster)]).toEqual([false, false, false]);
});
