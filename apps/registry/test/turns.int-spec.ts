import { describe, expect, it } from '@jest/globals';
import type { DeviceSelectionAnswered, DeviceSelectionRequested } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { Client } from 'pg';
import { SelectionWorker } from '../src/intake/selection-worker.js';
import { testSystem } from './test-system.js';

describe('turns at the database', () => {
  const { call, configOf, replica, requestSelection, rows, selectionPages } = testSystem('turns');

  /**
   * A transaction that locks a table, so that readers of it wait. In the background writers to it wait, too, and the
   * question of the import worker whether an import has begun, which are no requests and are not counted.
   */
  const holding = async (table: string) => {
    const holder = new Client({ connectionString: configOf('holder').secrets.databaseUrl });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE registry.${table}`);
    const waiting = async (): Promise<number[]> => {
      // Within a transaction, PostgreSQL otherwise shows the sessions as they were at the first look.
      await holder.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await holder.query<{ pid: number }>(
        `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE NOT granted AND relation = 'registry.${table}'::regclass AND mode = 'AccessShareLock'
           AND query NOT LIKE '%device_imports WHERE status <> ''completed''%'`,
      );
      return rows.map(({ pid }) => pid);
    };
    return {
      waiting,
      /** As PostgreSQL does with statements that take too long. */
      cancel: async (): Promise<unknown> =>
        holder.query('SELECT pg_cancel_backend(unnest($1::int[]))', [await waiting()]),
      /** As an outage of PostgreSQL does. */
      disconnect: async (): Promise<unknown> =>
        holder.query('SELECT pg_terminate_backend(unnest($1::int[]))', [await waiting()]),
      release: (): Promise<void> => holder.end(),
    };
  };

  /** Requests for the devices of an account, as campaigns send them. */
  const select = async (
    times: number,
    request: Pick<DeviceSelectionRequested, 'accountId'> & Partial<DeviceSelectionRequested>,
  ): Promise<string[]> => {
    const ids = Array.from({ length: times }, () => newId());
    const until = newId(Date.now() + 1_000);
    const requestedAt = new Date().toISOString();
    for (const selectionId of ids)
      await requestSelection({ selectionId, page: 0, until, limit: 500, requestedAt, ...request });
    return ids;
  };
  /** Those that are answered. */
  const answersTo = (ids: readonly string[]): Map<string, DeviceSelectionAnswered> =>
    new Map(
      selectionPages()
        .filter(({ selectionId }) => ids.includes(selectionId))
        .map((page) => [page.selectionId, page]),
    );
  /**
   * From now on, one replica answers selections. The other one might take a request between the end of an attempt and the
   * note of it: it would wait for the table that the test holds, and the note for the request.
   */
  const answerOnOneReplica = (): Promise<void> => replica(1).app.get(SelectionWorker, { strict: false }).stop();

  const selection = { action: 'suspend', category: 'other', filter: 'name=a' };

  const expiring = '/v3/attention/expiring-certificates';

  const imported = async (account: string): Promise<string> => {
    const { body } = await call('POST', '/v3/device-imports', 'name,net_id\na,' + 'b'.repeat(50), account, {
      'content-type': 'text/csv',
    });
    return eventually(async () => {
      const found = (await call('GET', `/v3/device-imports/${body.id}`, undefined, account)).body;
      expect(found).toMatchObject({ status: 'completed', errors_count: 1 });
      return found.errors_report_file;
    });
  };

  it.each<[what: string, table: string, method: string, path: string, body: object | undefined]>([
    ['exports', 'devices', 'GET', '/v3/devices/export', undefined],
    ['dry runs', 'devices', 'POST', '/v3/device-suspensions', { ...selection, dry_run: true }],
    ['bulk suspensions', 'devices', 'POST', '/v3/device-suspensions', selection],
    ['lists of imports', 'device_imports', 'GET', '/v3/device-imports', undefined],
    ['reports of imports', 'device_import_errors', 'GET', 'report', undefined],
    ['lists of certificates that expire', 'device_credentials', 'GET', expiring, undefined],
  ])('ten %s of one account hold five places; the list of another begins', async (_, table, method, path, body) => {
    const [many, other] = [newId(), newId()];
    const url = path === 'report' ? await imported(many) : path;
    const ofAnother = path === 'report' ? await imported(other) : table === 'devices' ? '/v3/devices' : path;
    const { waiting, release } = await holding(table);
    try {
      const ten = Array.from({ length: 10 }, () => call(method, url, body, many));
      await eventually(async () => (await waiting()).length >= 5);
      const list = call('GET', ofAnother, undefined, other);
      await eventually(async () => expect(await waiting()).toHaveLength(6));
      await release();
      for (const { status } of await Promise.all([...ten, list])) expect(status).toBe(200);
    } finally {
      await release();
    }
  });

  it.each<[string, string, object | undefined, string]>([
    ['GET', '/v3/devices?name__neq=a', undefined, 'devices'],
    ['GET', '/v3/devices/export', undefined, 'devices'],
    ['GET', 'report', undefined, 'device_import_errors'],
    ['POST', '/v3/device-suspensions', { ...selection, dry_run: true }, 'devices'],
  ])('504 for %s %s when the database gives up, and what to do', async (method, path, body, table) => {
    const account = newId();
    const url = path === 'report' ? await imported(account) : path;
    const { waiting, cancel, release } = await holding(table);
    try {
      const asked = call(method, url, body, account);
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      await cancel();
      const { status, headers, body: answer } = await asked;
      expect([status, answer.type, headers.get('retry-after')]).toEqual([504, 'query_timeout', null]);
      expect(answer.message).toMatch(/^The database query timed out after 30 s: /);
    } finally {
      await release();
    }
  });

  it('selections of one account that the database does not answer hold up no other account', async () => {
    const [slow, other] = [newId(), newId()];
    const { body: group } = await call('POST', '/v3/device-groups', { name: 'slow' }, slow);
    const { waiting, cancel, release } = await holding('group_members');
    try {
      const held = await select(8, { accountId: slow, groupId: group.id });
      await eventually(async () => expect((await waiting()).length).toBeGreaterThan(0));
      // More than there are partitions, and later than the others in each of them.
      const quick = await select(32, { accountId: other });
      await eventually(() => expect(answersTo(quick).size).toBe(quick.length));
      // Three of each replica at a time: the account needs its connections for other things, too.
      expect((await waiting()).length).toBeLessThanOrEqual(6);
      expect(answersTo(held).size).toBe(0);
      await eventually(async () => {
        await cancel();
        expect(answersTo(held).size).toBe(held.length);
      });
      const refusal = { field: 'group_id', message: 'The query takes too long' };
      for (const answer of answersTo(held).values()) expect(answer).toMatchObject({ devices: [], refusal });
    } finally {
      await release();
    }
  });

  it('a selection whose query was cancelled twice is answered when the database answers', async () => {
    await answerOnOneReplica();
    const accountId = newId();
    const { body: group } = await call('POST', '/v3/device-groups', { name: 'slow' }, accountId);
    const { waiting, cancel, release } = await holding('group_members');
    try {
      const [held = ''] = await select(1, { accountId, groupId: group.id });
      const attempts = (): Promise<unknown[]> =>
        rows(`SELECT attempts FROM registry.selection_requests WHERE selection_id = '${held}'`);
      for (const n of [1, 2]) {
        await eventually(async () => expect(await waiting()).toHaveLength(1));
        await cancel();
        await eventually(async () => expect(await attempts()).toEqual([{ attempts: n }]));
      }
      await release();
      const answer = await eventually(() => {
        const found = answersTo([held]).get(held);
        expect(found).toBeDefined();
        return found;
      });
      expect(answer).toMatchObject({ devices: [], hasMore: false });
      expect(answer?.refusal).toBeUndefined();
      await eventually(async () => expect(await attempts()).toEqual([]));
    } finally {
      await release();
    }
  });

  it('a selection that fails is tried again after growing pauses, and answered when the database answers', async () => {
    await answerOnOneReplica();
    const accountId = newId();
    const { body: group } = await call('POST', '/v3/device-groups', { name: 'failing' }, accountId);
    const { waiting, disconnect, release } = await holding('group_members');
    try {
      const [failing = ''] = await select(1, { accountId, groupId: group.id });
      const sql = `SELECT attempts, failures, extract(epoch FROM due_at - tried_at)::float8 AS pause
        FROM registry.selection_requests WHERE selection_id = '${failing}'`;
      for (const n of [1, 2, 3]) {
        await eventually(async () => expect(await waiting()).toHaveLength(1));
        await disconnect();
        const { pause } = await eventually(async () => {
          const [found] = (await rows(sql)) as { pause: number }[];
          expect(found).toMatchObject({ attempts: 0, failures: n });
          return found as { pause: number };
        });
        const longest = 2 ** (n - 1);
        // Both times are read a moment apart.
        expect(pause).toBeGreaterThan(longest / 2 - 0.01);
        expect(pause).toBeLessThan(longest + 0.01);
      }
      await release();
      const answer = await eventually(() => {
        const found = answersTo([failing]).get(failing);
        expect(found).toBeDefined();
        return found;
      });
      expect(answer).toMatchObject({ devices: [], hasMore: false });
      expect(answer?.refusal).toBeUndefined();
    } finally {
      await release();
    }
  });

  it('a selection that has failed for a day is refused', async () => {
    const accountId = newId();
    const { body: group } = await call('POST', '/v3/device-groups', { name: 'hopeless' }, accountId);
    const { disconnect, release } = await holding('group_members');
    try {
      const [selectionId, until] = [newId(), newId(Date.now() + 1_000)];
      const requestedAt = new Date().toISOString();
      const request = { selectionId, accountId, groupId: group.id, page: 0, until, limit: 500, requestedAt };
      await rows(`INSERT INTO registry.selection_requests (selection_id, page, account_id, request, failures)
        VALUES ('${selectionId}', 0, '${accountId}', '${JSON.stringify(request)}', 399)`);
      const answer = await eventually(async () => {
        await disconnect();
        const found = answersTo([selectionId]).get(selectionId);
        expect(found).toBeDefined();
        return found;
      });
      const refusal = { field: 'group_id', message: 'The devices could not be read in 400 attempts' };
      expect(answer).toMatchObject({ devices: [], hasMore: false, refusal });
    } finally {
      await release();
    }
  });
});
