import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import pg from 'pg';
import { type ServerSpec, postgresql, removeData } from './lanyard/infrastructure-processes.ts';
import { fetchInfrastructure } from './lanyard/fetch-infrastructure.ts';
import { tcpPort } from './lanyard/ports.ts';
import { clearAfterKill } from './lanyard/postmaster.ts';
import { answers } from './lanyard/probes.ts';
import { commandLine, isAlive, launch, stopProcess } from './lanyard/processes.ts';
import { infrastructureFolder } from './lanyard/project.ts';

const folder = mkdtempSync(join(infrastructureFolder(), '../test-postmaster-'));
let spec: ServerSpec;
let address: string;
let port: number;
let pid = 0;

const isUp = (): Promise<boolean> => eventually(() => answers.postgresql(address));

const connected = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: `postgres://lanyard:pw@${address}/postgres` });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

beforeAll(async () => {
  const folders = { binaries: await fetchInfrastructure(), data: folder, logs: join(folder, 'logs'), fast: false };
  port = await tcpPort(0);
  address = `127.0.0.1:${port}`;
  spec = postgresql(folders, port, 'pw');
  pid = launch(spec);
  await isUp();
});

afterAll(async () => {
  await stopProcess(pid, { signal: spec.stopSignal, waitMs: 30_000 });
  removeData(folder);
});

it('PostgreSQL comes back after kill -9, also when a process of it hangs and holds its memory', async () => {
  const client = await connected();
  await client.query('CREATE TABLE kept AS SELECT 1 AS n');
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const backend: number = rows[0].pid;
  // As one that waits for a disk: it does not see that its postmaster has gone.
  process.kill(backend, 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await eventually(() => commandLine(pid) === '');
  expect(isAlive(backend)).toBe(true);

  const { prepare: _, ...unprepared } = spec;
  const refused = spawnSync(spec.command, spec.args, { ...unprepared, encoding: 'utf8', cwd: '/', timeout: 60_000 });
  expect(refused.stderr).toMatch(/pre-existing shared memory block|lock file .* already exists/);

  pid = launch(spec);
  expect(isAlive(backend)).toBe(false);
  await isUp();
  const again = await connected();
  expect((await again.query('SELECT n FROM kept')).rows).toEqual([{ n: 1 }]);
  await again.end();
});

it('a server that runs is left alone', async () => {
  const data = spec.marker;
  const lock = readFileSync(join(data, 'postmaster.pid'), 'utf8');
  expect(clearAfterKill(data)).toEqual([]);
  expect(readFileSync(join(data, 'postmaster.pid'), 'utf8')).toBe(lock);
  expect(isAlive(pid)).toBe(true);
});
