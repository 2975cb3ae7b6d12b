import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { infrastructure, isolate, type Isolation } from '@lanyard/testing';
import { type Installation, restoreBackup, writeBackup } from './backup/backup-file.ts';
import { connect } from './backup/database.ts';
import { jsonLines, writeJsonLines } from './backup/json-lines.ts';
import { StateWriter } from './backup/states.ts';
import { Stop } from './lanyard/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-restore-'));
const file = join(folder, 'whole.backup');
const topic = 'device.groups';
const groups = {
  deviceId: '0'.repeat(32),
  accountId: '1'.repeat(32),
  groups: [],
  revision: 1,
  changedAt: '2026-01-31T03:00:00.000Z',
};
let isolation: Isolation;
let client: Awaited<ReturnType<typeof connect>>;

/** The same database with topics of its own. */
const withTopics = (prefix: string): Installation => ({
  brokers: infrastructure().brokers.join(','),
  databaseUrl: isolation.databaseUrl,
  topicPrefix: `${isolation.topicPrefix}${prefix}.`,
});

const idsOf = async (table: string): Promise<number[]> => {
  const { rows } = await client.query<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`);
  return rows.map(({ id }) => id);
};

const nextSerial = async (): Promise<number> => {
  const { rows } = await client.query<{ next: string }>(`SELECT nextval('registry.serials') AS next`);
  return Number(rows[0]?.next);
};

/** How many messages the topic has. */
const messagesOf = async (of: Installation): Promise<number> => {
  const states = await new StateWriter(of).open();
  const offsets = await states.kafka.offsets(topic);
  await states.close();
  return [...offsets.values()].reduce((sum, { high }) => sum + Number(high), 0);
};

/** Why a restore ends. It is shown without a stack, because the operator can solve it. */
const refusalOf = async (...args: Parameters<typeof restoreBackup>): Promise<string> => {
  const refusal: unknown = await restoreBackup(...args).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Stop);
  return String(refusal);
};

beforeAll(async () => {
  isolation = await isolate('restore');
  client = await connect(isolation.databaseUrl);
  await client.query(`CREATE SCHEMA access; CREATE SCHEMA registry; CREATE SEQUENCE registry.serials;
    CREATE TABLE access.api_keys (id int); CREATE TABLE registry.devices (id int);
    INSERT INTO access.api_keys VALUES (1), (2); INSERT INTO registry.devices VALUES (3)`);
  await nextSerial();
  const states = await new StateWriter(withTopics('source')).open();
  await states.write(topic, [groups]);
  await states.close();
  await writeBackup(withTopics('source'), file);
});
afterAll(async () => {
  await client?.end();
  await isolation?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** As after the first start: one key. */
beforeEach(async () => {
  await client.query('TRUNCATE access.api_keys, registry.devices; INSERT INTO access.api_keys VALUES (7)');
});

describe('the connection to PostgreSQL', () => {
  it('names the server that cannot be reached, without the password', async () => {
    const opening = connect('postgres://lanyard:secret@127.0.0.1:1/postgres');
    await expect(opening).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1 cannot be reached: [^@]*$/);
  });

  it('ends no process when PostgreSQL ends it: the next statement is rejected', async () => {
    const other = await connect(isolation.databaseUrl);
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => other.once('end', resolve));
    await client.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(other.query('SELECT 1')).rejects.toThrow();
    await other.end();
  });
});

describe('a restore', () => {
  it.each<[string, (lines: object[]) => object[], string]>([
    ['is cut off', (lines) => lines.slice(0, -1), 'nothing was restored'],
    [
      'lacks a row',
      (lines) => lines.filter((line) => !('table' in line && line.table === 'registry.devices')),
      'counts differ: registry.devices 0 of 1',
    ],
    [
      'has a topic of another version',
      (lines) => lines.map((line) => ('topic' in line ? { ...line, topic: 'unknown' } : line)),
      'this version has no topic unknown',
    ],
  ])('of a backup that %s changes nothing, neither tables nor sequences nor topics', async (_, change, problem) => {
    const changed = join(folder, 'changed.backup');
    const lines = change(await Array.fromAsync(jsonLines<object>(file)));
    await writeJsonLines(changed, async (write) => {
      for (const line of lines) await write(line);
    });
    const serial = await nextSerial();
    expect(await refusalOf(withTopics('target'), changed, { overwrite: true })).toContain(problem);
    expect([await idsOf('access.api_keys'), await idsOf('registry.devices')]).toEqual([[7], []]);
    expect(await nextSerial()).toBe(serial + 1);
    expect(await messagesOf(withTopics('target'))).toBe(0);
  });

  it('replaces keys only if it is asked to, and the first key of an installation always', async () => {
    await client.query('INSERT INTO access.api_keys VALUES (8)');
    expect(await refusalOf(withTopics('target'), file)).toContain('The database has 2 api_keys: with');
    expect(await idsOf('access.api_keys')).toEqual([7, 8]);
    await client.query('DELETE FROM access.api_keys WHERE id = 8');
    const restored = await restoreBackup(withTopics('target'), file);
    expect(restored.tables).toEqual({ 'access.api_keys': 2, 'registry.devices': 1 });
    expect([await idsOf('access.api_keys'), await idsOf('registry.devices')]).toEqual([[1, 2], [3]]);
    expect(await nextSerial()).toBe(2);
    expect(await messagesOf(withTopics('target'))).toBe(1);
  });
});
