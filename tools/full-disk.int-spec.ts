import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, patienceMs } from '@lanyard/testing';
import { type ServerSpec, redis, removeData } from './lanyard/infrastructure-processes.ts';
import { fetchInfrastructure } from './lanyard/fetch-infrastructure.ts';
import { tcpPort } from './lanyard/ports.ts';
import { answers } from './lanyard/probes.ts';
import { isAlive, kill, launch, processOf } from './lanyard/processes.ts';
import { infrastructureFolder, root } from './lanyard/project.ts';
import { secretsOf, StateFile, type Unit } from './lanyard/state.ts';

const folder = mkdtempSync(join(infrastructureFolder(), '../test-full-disk-'));

/** No file may grow in the process, as on a full disk: needs no rights, as mounting a small disk would. */
const withoutSpace = (script: string): ReturnType<typeof spawnSync> =>
  spawnSync(
    'sh',
    ['-c', `ulimit -f 0; trap '' XFSZ; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: patienceMs,
    },
  );

describe('npm start on a full disk', () => {
  it('does not take the lock, says why, and leaves nothing behind', () => {
    const data = join(folder, 'lock');
    const { status, stderr } = withoutSpace(`
      import { StateFile } from './tools/lanyard/state.ts';
      import { run } from './tools/lanyard/project.ts';
      await run(async () => { new StateFile(${JSON.stringify(data)}).acquire(); });
    `);
    expect([status, stderr]).toEqual([1, expect.stringContaining('starter.pid could not be written')]);
    expect(existsSync(join(data, 'starter.pid'))).toBe(false);
    expect(new StateFile(data).acquire()).toBe(true);
  });

  it('leaves no half of its secrets', () => {
    const data = join(folder, 'secrets');
    const { status } = withoutSpace(`
      import { secretsOf } from './tools/lanyard/state.ts';
      secretsOf(${JSON.stringify(data)});
    `);
    expect(status).not.toBe(0);
    expect(secretsOf(data).databasePassword).toHaveLength(48);
  });

  it('launches nothing that is not on record', () => {
    const data = join(folder, 'record');
    const { stdout } = withoutSpace(`
      import { StateFile } from './tools/lanyard/state.ts';
      const file = new StateFile(${JSON.stringify(data)});
      try {
        file.launch({ name: 'planted' }, () => console.log('launched'));
      } catch (error) {
        console.log(error.message);
      }
    `);
    expect(stdout).toContain('state.json could not be saved');
    expect(stdout).not.toContain('launched');
  });
});

describe('a Redis whose pid could not be saved', () => {
  const data = join(folder, 'redis-data');
  let spec: ServerSpec;
  let port: number;
  let pid: number;

  beforeAll(async () => {
    port = await tcpPort(0);
    spec = redis({ binaries: await fetchInfrastructure(), data, logs: data, fast: true }, port);
    const { marker, signature, stopSignal } = spec;
    const unit: Unit = {
      ...{ kind: 'infrastructure', name: 'redis', version: '6.2', address: `127.0.0.1:${port}` },
      ...{ marker, signature, stopSignal, restarts: 0 },
    };
    const file = new StateFile(data);
    file.launch(unit, () => {
      // The disk is full from here on.
      symlinkSync('/dev/full', `${file.path}.new`);
      return (pid = launch(spec));
    });
    await eventually(() => answers.redis(`127.0.0.1:${port}`));
  });

  afterAll(() => {
    kill(pid, 'SIGKILL');
    removeData(folder);
  });

  const unit = (): Unit => new StateFile(data).state.units[0] as Unit;

  it('is on record without it, and is found', () => {
    expect(JSON.parse(readFileSync(join(data, 'state.json'), 'utf8'))).toMatchObject({ units: [{ name: 'redis' }] });
    expect(unit().pid).toBeUndefined();
    expect(processOf(unit())).toBe(pid);
  });

  it('keeps a second one from its folder', async () => {
    const other = redis({ binaries: await fetchInfrastructure(), data, logs: data, fast: true }, await tcpPort(0));
    expect(() => launch(other)).toThrow(`A Redis (pid ${pid}) already runs`);
  });

  it('is ended by npm stop', () => {
    const { stdout } = spawnSync(process.execPath, [join(root, 'tools/stop.ts')], {
      env: { ...process.env, LANYARD_DATA: data },
      encoding: 'utf8',
    });
    expect(stdout).toContain('stopped');
    expect(isAlive(pid)).toBe(false);
  });
});
