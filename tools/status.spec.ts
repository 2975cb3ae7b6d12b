import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startInfrastructure } from './lanyard/infrastructure.ts';
import { root } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';
import { statusOf } from './lanyard/status-report.ts';

describe('the status of servers that run elsewhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-status-'));
  const original = process.env['KAFKA_TLS_ENABLED'];
  /** Accepts connections and, as a server that waits for a TLS handshake, answers nothing. */
  const silent = net.createServer();

  beforeAll(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(() => {
    if (original === undefined) delete process.env['KAFKA_TLS_ENABLED'];
    else process.env['KAFKA_TLS_ENABLED'] = original;
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is ready with TLS when their ports are open, also in a terminal without their variables', async () => {
    const address = `127.0.0.1:${(silent.address() as net.AddressInfo).port}`;
    const file = new StateFile(folder);
    process.env['KAFKA_TLS_ENABLED'] = 'true';
    const { units } = await startInfrastructure({
      dataDir: folder,
      logs: folder,
      secrets: { databasePassword: '' },
      state: file.state,
      launchUnit: () => undefined,
      leftOvers: [],
      infrastructure: {
        brokers: address,
        databaseUrl: `postgres://lanyard@${address}/lanyard?sslmode=verify-full`,
        redisUrl: `rediss://${address}`,
      },
      say: () => undefined,
    });
    delete process.env['KAFKA_TLS_ENABLED'];
    file.state.units = units;
    file.save();
    const { infrastructure } = await statusOf(new StateFile(folder));
    expect(infrastructure.map(({ name, ready }) => [name, ready])).toEqual([
      ['redis', true],
      ['postgresql', true],
      ['kafka', true],
    ]);
  });
});

describe('npm run status', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-status-'));
  /** Passes for an `npm start` that compiles: it has started neither servers nor services. */
  const starter = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'start.ts'], {
    stdio: 'ignore',
  });

  afterAll(() => {
    starter.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends with 1 while npm start has launched no service yet', () => {
    writeFileSync(join(folder, 'starter.pid'), String(starter.pid));
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'tools/status.ts'), '--json'], {
      env: { ...process.env, LANYARD_DATA: folder },
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ running: true, infrastructure: [], services: [] });
    expect(status).toBe(1);
  });
});
