import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '../lanyard/processes.ts';
import { root } from '../lanyard/project.ts';
import { StateFile, type Unit } from '../lanyard/state.ts';
import { installation } from './installation.ts';

describe('a restore into the installation of npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-restore-'));
  const original = process.env['LANYARD_DATA'];
  const children: ChildProcess[] = [];

  const unitOf = (kind: Unit['kind'], name: string): Unit => {
    const marker = `planted-${name}`;
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', marker], { stdio: 'ignore' });
    children.push(child);
    const pid = child.pid as number;
    return { kind, name, version: '0', pid, address: '127.0.0.1:1', marker, restarts: 0, stopSignal: 'SIGTERM' };
  };

  beforeAll(() => {
    process.env['LANYARD_DATA'] = folder;
    const file = new StateFile(folder);
    file.state.units = [
      unitOf('infrastructure', 'postgresql'),
      unitOf('infrastructure', 'kafka'),
      unitOf('service', 'registry-0'),
    ];
    file.save();
  });

  afterAll(() => {
    if (original === undefined) delete process.env['LANYARD_DATA'];
    else process.env['LANYARD_DATA'] = original;
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused while services run, as a backup is not', () => {
    expect(() => installation({}, { forRestore: true })).toThrow('registry-0');
    expect(installation({}).brokers).toBe('127.0.0.1:1');
  });

  it('is possible after npm stop -- --services, which stops nothing else', async () => {
    await promisify(execFile)(process.execPath, [join(root, 'tools/stop.ts'), '--services'], {
      env: { ...process.env, LANYARD_DATA: folder },
    });
    expect(children.map(({ pid }) => isAlive(pid))).toEqual([true, true, false]);
    expect(installation({}, { forRestore: true }).brokers).toBe('127.0.0.1:1');
  });
});

it('the settings of topics are those that the services leave, so that a backup changes none', () => {
  const named = { DATABASE_URL: 'postgres://a/b', KAFKA_BROKERS: 'a:1' };
  expect(installation({ ...named, KAFKA_MIN_INSYNC_REPLICAS: '1' })).toMatchObject({ minInsyncReplicas: 1 });
  expect(installation(named)).toMatchObject({ brokers: 'a:1', minInsyncReplicas: 2 });
});

it('a prefix of topics that no service accepts is refused by name', () => {
  const named = { DATABASE_URL: 'postgres://a/b', KAFKA_BROKERS: 'a:1', KAFKA_TOPIC_PREFIX: 'plant 7.' };
  expect(() => installation(named)).toThrow('KAFKA_TOPIC_PREFIX');
});

it('blanks between brokers are dropped, as the services drop them', () => {
  const named = { DATABASE_URL: 'postgres://a/b', KAFKA_BROKERS: 'a:1 , b:2,' };
  expect(installation(named).brokers).toBe('a:1,b:2');
});
