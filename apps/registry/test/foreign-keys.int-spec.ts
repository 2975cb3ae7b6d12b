import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type TestDatabase, testDatabase } from './test-database.js';

// A partial index finds only some of the rows that a deletion has to find.
const unindexedSql = `
  SELECT c.conrelid::regclass::text AS "table", a.attname::text AS "column"
  FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  WHERE c.contype = 'f' AND c.connamespace = 'registry'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1] AND i.indpred IS NULL)`;

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase('foreign-keys');
});

afterAll(async () => {
  await test?.drop();
});

it('what is deleted with a device, a group or an import is found by an index, not among that of all accounts', async () => {
  expect(await test.database.query(unindexedSql)).toEqual([]);
});
