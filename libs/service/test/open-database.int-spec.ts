import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate } from '@lanyard/testing';
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

  it('an older version does not wait for what it does not know, nor takes it back', async () => {
    const older = await openDatabase(options({ migrate: 'wait' }));
    expect(await older.query('SELECT id FROM own.second')).toEqual([]);
    await older.destroy();
  });
});
