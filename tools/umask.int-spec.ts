import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { fetchInfrastructure } from './lanyard/fetch-infrastructure.ts';
import { postgresql, removeData, type ServerSpec } from './lanyard/infrastructure-processes.ts';
import { tcpPort } from './lanyard/ports.ts';
import { answers } from './lanyard/probes.ts';
import { launch, stopProcess } from './lanyard/processes.ts';
import { infrastructureFolder } from './lanyard/project.ts';

/** Only its owner may enter it. */
const folder = mkdtempSync(join(infrastructureFolder(), '../test-umask-'));
let pid = 0;

afterAll(async () => {
  await stopProcess(pid, { signal: 'SIGINT', waitMs: 30_000 });
  removeData(folder);
});

const underUmask = (umask: number, make: () => ServerSpec): ServerSpec => {
  const before = process.umask(umask);
  try {
    return make();
  } finally {
    process.umask(before);
  }
};

it('PostgreSQL starts under a umask that closes new folders to its user, also when root starts it', async () => {
  const folders = { binaries: await fetchInfrastructure(), data: folder, logs: join(folder, 'logs'), fast: true };
  const port = await tcpPort(0);
  pid = launch(underUmask(0o077, () => postgresql(folders, port, 'pw')));
  expect(await eventually(() => answers.postgresql(`127.0.0.1:${port}`))).toBe(true);
});
