import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Actor } from '@lanyard/contracts';
import { AuditTrail, Outbox } from '@lanyard/kafka';
import {
  type BackgroundWork,
  type Clock,
  createLogger,
  newId,
  parseListQuery,
  StopDeadline,
  systemClock,
} from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { PassThrough, Readable } from 'node:stream';
import type { DataSource, EntityManager } from 'typeorm';
import { app } from '../src/config.js';
import { schema } from '../src/db/database.js';
import { Lifecycle } from '../src/devices/lifecycle.js';
import { ImportDeleted, TooManyImports } from '../src/errors.js';
import { ImportRetention } from '../src/imports/import-retention.js';
import { ImportWorker } from '../src/imports/import-worker.js';
import { ImportsService } from '../src/imports/imports.service.js';
import type { AccountQuotasReader } from '../src/quotas/account-quotas.reader.js';
import { DeviceQuotas } from '../src/quotas/device-quotas.js';
import { NewDevices } from '../src/devices/new-devices.js';
import { SystemSuspension } from '../src/suspension/system-suspension.js';
import { type TestDatabase, testDatabase } from './test-database.js';

/** Quotas as the reader of access.accounts answers them. */
const quotasOf = (quotas: ReadonlyMap<string, number>): DeviceQuotas =>
  new DeviceQuotas(quotas as unknown as AccountQuotasReader);

/** Takes a step when the test says so. */
class SteppedWorker extends ImportWorker {
  takeStep(): Promise<boolean> {
    return this.step();
  }
}

describe('imports of several accounts', () => {
  const clock = new TestClock(Date.now());
  const logger = createLogger({ app, replicaId: 'test', level: 'silent' });
  let stored: TestDatabase;
  let database: DataSource;
  let imports: ImportsService;
  let worker: SteppedWorker;
  let suspension: SystemSuspension;
  const quotas = new Map<string, number>();
  const given = <W extends BackgroundWork>(work: W, itsClock: Clock = clock, itsLogger = logger): W => {
    Object.assign(work, { clock: itsClock, logger: itsLogger, deadline: new StopDeadline(logger) });
    return work;
  };

  beforeAll(async () => {
    stored = await testDatabase('imports');
    ({ database } = stored);
    const outbox = new Outbox(schema, app);
    const lifecycle = new Lifecycle(outbox);
    suspension = given(new SystemSuspension(database, lifecycle));
    const newDevices = new NewDevices(lifecycle);
    const workerOf = (): SteppedWorker => given(new SteppedWorker(database, newDevices, quotasOf(quotas)));
    worker = workerOf();
    // Uploads wake another one, which is stopped.
    const stopped = workerOf();
    await stopped.stop();
    imports = new ImportsService(database, new AuditTrail(outbox), clock, stopped);
  });
  afterAll(async () => {
    await worker?.stop();
    await suspension?.stop();
    await stored?.drop();
  });

  const actorOf = (accountId: string): Actor => ({ accountId, keyId: newId(), requestId: 'r' });
  const take = async (accountId: string): Promise<string> =>
    (await imports.storeTable(actorOf(accountId), 'table', Readable.from(['name\na']))).id;
  const completed = async (accountId: string): Promise<number> => {
    const [row] = (await database.query(
      `SELECT count(*)::int AS n FROM registry.device_imports WHERE account_id = $1 AND status = 'completed'`,
      [accountId],
    )) as [{ n: number }];
    return row.n;
  };
  /** Takes no step more than it needs. */
  const until = (done: () => Promise<boolean>): Promise<boolean> =>
    eventually(
      async () => {
        if (await done()) return true;
        await worker.takeStep();
        return false;
      },
      { intervalMs: 1 },
    );

  it('takes turns by account: ten imports of one come after the first one of another', async () => {
    const [many, one] = [newId(), newId()];
    for (let n = 0; n < 10; n++) await take(many);
    const first = await take(one);
    await until(async () => (await completed(one)) === 1);
    expect(await completed(many)).toBe(1);
    // Its turn was taken, also when nothing is left to show it.
    await imports.remove(actorOf(one), first);
    await take(one);
    await until(async () => (await completed(many)) === 2);
    expect(await completed(one)).toBe(0);
    await until(async () => (await completed(one)) === 1);
    expect(await completed(many)).toBe(2);
    await until(async () => (await completed(many)) === 10);
  });

  it('an account has ten that are not completed, not one more, however many it begins at once', async () => {
    const account = newId();
    const begun = await Promise.allSettled(Array.from({ length: 13 }, () => take(account)));
    const refused = begun.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toEqual(Array.from({ length: 3 }, () => expect.any(TooManyImports)));
    await take(newId());
    await until(async () => (await completed(account)) === 1);
    await take(account);
    await expect(take(account)).rejects.toThrow(TooManyImports);
  });

  it('keeps an import when the answer to its commit is lost', async () => {
    const account = newId();
    const commit = database.transaction.bind(database) as <R>(
      work: (manager: EntityManager) => Promise<R>,
    ) => Promise<R>;
    let transactions = 0;
    database.transaction = (async (work: (manager: EntityManager) => Promise<unknown>) => {
      const result = await commit(work);
      if (++transactions === 2) throw new Error('the connection has ended');
      return result;
    }) as DataSource['transaction'];
    const id = await take(account).finally(() => Reflect.deleteProperty(database, 'transaction'));
    expect(transactions).toBe(2);
    expect(await imports.get(account, id)).toMatchObject({ status: 'new', total_count: 1 });
    await until(async () => (await completed(account)) === 1);
  });

  const stand = (accountId: string, status: 'active' | 'suspended', second: number): Promise<void> =>
    suspension.recordAccount({
      accountId,
      tier: 'commercial',
      status,
      autoCreateDevices: false,
      changedAt: `2026-01-01T00:00:0${second}.000Z`,
    });
  const tableOf = (names: readonly string[]): Readable => Readable.from([['endpoint_name', ...names].join('\n')]);
  const namesOf = async (accountId: string): Promise<string[]> => {
    const rows = (await database.query('SELECT endpoint_name FROM registry.devices WHERE account_id = $1', [
      accountId,
    ])) as { endpoint_name: string }[];
    return rows.map((row) => row.endpoint_name).toSorted();
  };
  const reportOf = async (account: string, id: string): Promise<string[]> => {
    const lines: string[] = [];
    for await (const text of await imports.errors(account, id)) lines.push(String(text));
    return lines.join('').trimEnd().split('\r\n').slice(1);
  };

  it('an import of a suspended account waits, and says so; it continues when the account is resumed', async () => {
    const [account, other] = [newId(), newId()];
    const names = Array.from({ length: 600 }, (_, n) => `w${String(n).padStart(3, '0')}`);
    const { id } = await imports.storeTable(actorOf(account), 'table', tableOf(names));
    const shown = (): ReturnType<typeof imports.get> => imports.get(account, id);
    expect(await shown()).toMatchObject({ status: 'new', waits_for: null });
    await stand(account, 'suspended', 1);
    await take(other);
    await until(async () => (await completed(other)) === 1);
    expect(await shown()).toMatchObject({ status: 'new', waits_for: 'account_resumed', processed_count: 0 });
    expect((await imports.list(account, parseListQuery({}, { filters: {} }))).data).toMatchObject([
      { waits_for: 'account_resumed' },
    ]);
    expect(await namesOf(account)).toEqual([]);
    await stand(account, 'active', 2);
    await until(async () => (await completed(account)) === 1);
    expect(await shown()).toMatchObject({
      status: 'completed',
      waits_for: null,
      processed_count: 600,
      errors_count: 0,
    });
    expect(await namesOf(account)).toEqual(names);
  });

  it('names that are taken need no room: the one that is new fits into what is left of a quota', async () => {
    const account = newId();
    await imports.storeTable(actorOf(account), 'first', tableOf(['a', 'b']));
    await until(async () => (await completed(account)) === 1);
    quotas.set(account, 3);
    const { id } = await imports.storeTable(actorOf(account), 'second', tableOf(['a', 'b', 'c', 'c', 'd']));
    await until(async () => (await completed(account)) === 2);
    expect(await namesOf(account)).toEqual(['a', 'b', 'c']);
    expect(await reportOf(account, id)).toEqual([
      '2,a,endpoint_name,Already taken',
      '3,b,endpoint_name,Already taken',
      '5,c,endpoint_name,Already taken',
      '6,d,row,The account has reached its quota of devices',
    ]);
  });

  it('a step reads a few megabytes: long rows are done in several, each with its line in the report', async () => {
    const account = newId();
    // 260,000 bytes each.
    const long = '\u{1F600}'.repeat(65_000);
    const { id } = await imports.storeTable(
      actorOf(account),
      'long',
      Readable.from(['name\n', `${long}\n`.repeat(40)]),
    );
    const shown = (): ReturnType<typeof imports.get> => imports.get(account, id);
    await until(async () => (await shown()).status !== 'new');
    const { status, processed_count } = await shown();
    expect(status).toBe('processing');
    expect(processed_count).toBe(17);
    await until(async () => (await completed(account)) === 1);
    expect(await shown()).toMatchObject({ processed_count: 40, errors_count: 40 });
    const rows = (await reportOf(account, id)).map((line) => line.split(',').slice(0, 3));
    expect(rows).toEqual(Array.from({ length: 40 }, (_, n) => [String(n + 2), '', 'name']));
  });

  it('two imports of one account with the same names, in two replicas at once: each device is made once', async () => {
    const account = newId();
    const names = Array.from({ length: 500 }, (_, n) => `t${String(n).padStart(3, '0')}`);
    const warned: unknown[] = [];
    const loud = createLogger({ app, replicaId: 'test', level: 'silent' });
    loud.warn = (...told: unknown[]) => void warned.push(told);
    const newDevices = new NewDevices(new Lifecycle(new Outbox(schema, app)));
    const replicas = [1, 2].map(() =>
      given(new ImportWorker(database, newDevices, quotasOf(new Map())), systemClock, loud),
    );
    for (let round = 1; round <= 5; round++) {
      const tables = [names, names.toReversed()].map((all) => all.map((name) => `${name}-${round}`));
      const taken = tables.map((table) => imports.storeTable(actorOf(account), 't', tableOf(table)));
      const ids = (await Promise.all(taken)).map(({ id }) => id);
      await eventually(async () => {
        for (const replica of replicas) replica.wake();
        expect(await completed(account)).toBe(2 * round);
      });
      expect((await Promise.all(ids.map((id) => reportOf(account, id)))).flat()).toHaveLength(500);
      expect(await namesOf(account)).toHaveLength(500 * round);
    }
    for (const replica of replicas) await replica.stop();
    expect(warned).toEqual([]);
  });

  it('an upload of which nothing comes is abandoned after five minutes, a slow one never, even if the clock is set back', async () => {
    const account = newId();
    const [silent, slow] = [new PassThrough(), new PassThrough()];
    const abandoned = imports.storeTable(actorOf(account), 'silent', silent).catch((error: unknown) => error);
    const taken = imports.storeTable(actorOf(account), 'slow', slow);
    const uploading = async (): Promise<string[]> => {
      const rows = (await database.query('SELECT name FROM registry.device_imports WHERE account_id = $1', [
        account,
      ])) as { name: string }[];
      return rows.map(({ name }) => name).toSorted();
    };
    await eventually(async () => expect(await uploading()).toEqual(['silent', 'slow']));
    const pass = (minutes: number): Promise<unknown> =>
      database.query(
        `UPDATE registry.device_imports SET touched_at = touched_at - interval '${minutes} minutes' WHERE account_id = $1`,
        [account],
      );
    for (let minutes = 0; minutes < 6; minutes += 2) {
      await pass(2);
      await clock.advance(120_000);
      if (minutes === 2) clock.adjust(-3_600_000);
      slow.write(minutes === 0 ? 'name\n' : 'a\n');
      await eventually(async () => {
        const [row] = (await database.query(
          `SELECT touched_at > now() - interval '1 minute' AS lately FROM registry.device_imports
           WHERE account_id = $1 AND name = 'slow'`,
          [account],
        )) as [{ lately: boolean }];
        expect(row.lately).toBe(true);
      });
    }
    await until(async () => (await uploading()).join() === 'slow');
    silent.end('name\na');
    expect(await abandoned).toBeInstanceOf(ImportDeleted);
    slow.end();
    expect(await taken).toMatchObject({ total_count: 2 });
  });

  it('a completed one is deleted after 30 days, with its report; others stay', async () => {
    const account = newId();
    const [old, recent, open] = [await take(account), await take(account), await take(account)];
    const complete = (id: string, days: number): Promise<unknown> =>
      database.query(`UPDATE registry.device_imports SET status = 'completed', completed_at = $2 WHERE id = $1`, [
        id,
        new Date(clock.now() - days * 86_400_000).toISOString(),
      ]);
    await complete(old, 31);
    await complete(recent, 29);
    await database.query(
      `INSERT INTO registry.device_import_errors SELECT id, 2, '', 'row', '' FROM registry.device_imports WHERE account_id = $1`,
      [account],
    );
    const retention = given(new ImportRetention(database));
    const left = async (table: string, id: string): Promise<string[]> => {
      const sql = `SELECT ${id} AS id FROM registry.${table} WHERE ${id} = ANY ($1) ORDER BY 1`;
      return ((await database.query(sql, [[old, recent, open]])) as { id: string }[]).map((row) => row.id);
    };
    const look = (): Promise<void> => {
      retention.wake();
      return clock.advance(0);
    };
    await eventually(async () => {
      await look();
      expect(await left('device_imports', 'id')).toEqual([recent, open].toSorted());
      expect(await left('device_import_errors', 'import_id')).toEqual([recent, open].toSorted());
    });
    await complete(recent, 31);
    await eventually(async () => {
      await look();
      expect(await left('device_imports', 'id')).toEqual([open]);
    });
    await retention.stop();
  });
});
