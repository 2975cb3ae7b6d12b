import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate, keepAliveCalls } from '@lanyard/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type DatabaseOptions, migrateDatabase, openDatabase } from '../src/index.js';

class First1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE own.first (id int)');
  }

  async down(): Promise<void> {}
}

class Second1700000000001 implements MigrationInterface {
  readonly name = 'Second1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE own.second (id int)');
  }

  async down(): Promise<void> {}
}

class Limits1700000000003 implements MigrationInterface {
  /** Of the connection, in ms. */
  static silenceMaxMs: number | undefined = NaN;

  async up(runner: QueryRunner): Promise<void> {
    const { connection } = (await runner.connect()) as { connection: { stream: Socket } };
    Limits1700000000003.silenceMaxMs = connection.stream.timeout;
    await runner.query(
      `CREATE TABLE limits AS
       SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
    );
  }

  async down(): Promise<void> {}
}

class Fresh1700000000002 extends First1700000000000 {}

describe('migrations before a rollout', () => {
  let isolation: Isolation;
  beforeAll(async () => {
    isolation = await isolate('open-database');
  });
  afterAll(() => isolation?.drop());

  const options = (more: Partial<DatabaseOptions> = {}): DatabaseOptions => ({
    url: isolation.databaseUrl,
    schema: 'own',
    entities: [],
    migrations: [First1700000000000],
    applicationName: 'test',
    ...more,
  });

  it('a service that waits opens when they have run, and changes nothing itself', async () => {
    let opened = false;
    const waiting = openDatabase(options({ migrate: 'wait' })).then((database) => {
      opened = true;
      return database;
    });
    const other = await openDatabase(options({ schema: 'other', migrations: [] }));
    const schemas = await other.query(`SELECT 1 FROM information_schema.schemata WHERE schema_name = 'own'`);
    expect([schemas, opened]).toEqual([[], false]);
    await other.destroy();
    expect(await migrateDatabase(options())).toEqual(['First1700000000000']);
    await (await waiting).destroy();
  });

  it('only what is missing runs, in several processes at once too', async () => {
    const migrations = [First1700000000000, Second1700000000001];
    const waiting = openDatabase(options({ migrations, migrate: 'wait' }));
    const ran = await Promise.all([migrateDatabase(options({ migrations })), migrateDatabase(options({ migrations }))]);
    expect(ran.flat()).toEqual(['Second1700000000001']);
    await (await waiting).destroy();
  });

  it('a migration may take longer than a statement of the service, but not wait longer for a lock', async () => {
    const database = await openDatabase(options({ schema: 'limited', migrations: [Limits1700000000003] }));
    expect(await database.query('SELECT * FROM limits')).toEqual([{ statement: '0', lock: '30s' }]);
    expect(Limits1700000000003.silenceMaxMs).toBe(0);
    expect(await database.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
    await database.destroy();
  });

  it('an older version does not wait for what it does not know, nor takes it back', async () => {
    const older = await openDatabase(options({ migrate: 'wait' }));
    expect(await older.query('SELECT id FROM own.second')).toEqual([]);
    await older.destroy();
  });

  it('a schema of other migrations than those that begin with the first of this version is refused and left alone', async () => {
    const fresh = options({ migrations: [Fresh1700000000002] });
    const refusal = /schema own is of an older version that cannot be upgraded to this one.*delete the data folder/;
    for (const open of [openDatabase, migrateDatabase])
      for (const migrate of ['run', 'wait'] as const)
        await expect(open({ ...fresh, migrate })).rejects.toThrow(refusal);
    const database = await openDatabase(options());
    const names = await database.query('SELECT name FROM own.migrations ORDER BY id');
    expect(names).toEqual([{ name: 'First1700000000000' }, { name: 'Second1700000000001' }]);
    await database.destroy();
  });

  it('a connection on which PostgreSQL is silent is probed, because its machine may be lost', async () => {
    const calls = await keepAliveCalls(async () => {
      await (await openDatabase(options({ schema: 'probed', migrations: [] }))).destroy();
    });
    // That of the lock of migrations, and that of the pool.
    expect(calls.filter(([, delayMs]) => delayMs === 10_000).length).toBeGreaterThan(1);
  });
});
