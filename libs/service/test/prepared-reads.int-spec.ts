import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { openDatabase, PreparedReads } from '../src/index.js';

describe('prepared reads', () => {
  let isolation: Isolation;
  let database: DataSource;
  beforeAll(async () => {
    isolation = await isolate('prepared-reads');
    const options = { schema: 'own', entities: [], migrations: [], applicationName: 'test', poolSize: 1 };
    database = await openDatabase({ url: isolation.databaseUrl, ...options });
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  /** Those that the only connection of the pool has. */
  const prepared = async (): Promise<string[]> => {
    const rows = (await database.query('SELECT statement FROM pg_prepared_statements')) as { statement: string }[];
    return rows.map(({ statement }) => statement);
  };

  it('are planned once when they are read all the time, whatever else was read before', async () => {
    const reads = new PreparedReads(database);
    for (let limit = 1; limit <= 100; limit++) await reads.rows(`SELECT 'rare' LIMIT ${limit}`, []);
    expect(await prepared()).toEqual([]);
    const text = 'SELECT $1::text AS value';
    for (let n = 0; n < 20; n++) expect(await reads.rows(text, [String(n)])).toEqual([{ value: String(n) }]);
    expect(await prepared()).toEqual([text]);
  });

  it('are at most 32 texts', async () => {
    const reads = new PreparedReads(database);
    for (let limit = 1; limit <= 40; limit++)
      for (let n = 0; n < 20; n++) expect(await reads.rows(`SELECT 'hot' LIMIT ${limit}`, [])).toHaveLength(1);
    expect((await prepared()).filter((text) => text.includes('hot'))).toHaveLength(32);
  });
});
