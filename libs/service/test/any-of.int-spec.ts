import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate } from '@lanyard/testing';
import { Client } from 'pg';
import { anyOf } from '../src/index.js';

describe('anyOf', () => {
  let isolation: Isolation;
  let client: Client;
  beforeAll(async () => {
    isolation = await isolate('any-of');
    client = new Client({ connectionString: isolation.databaseUrl });
    await client.connect();
    await client.query('CREATE TABLE thing (id text PRIMARY KEY, name text NOT NULL)');
    await client.query('CREATE TABLE part (thing_id text, id text, PRIMARY KEY (thing_id, id))');
    await client.query("INSERT INTO thing SELECT n::text, 'thing ' || n FROM generate_series(1, 1000) AS n");
  });
  afterAll(async () => {
    await client?.end();
    await isolation?.drop();
  });

  /** Names of things with what they are made of, ten times, and how many plans were made for that. */
  const reading = async (condition: string) => {
    const text = `SELECT name, ARRAY(SELECT p.id FROM part p WHERE p.thing_id = t.id) FROM thing t WHERE t.id = ${condition} ORDER BY name`;
    let names: string[] = [];
    for (let n = 0; n < 10; n++) {
      const { rows } = await client.query<{ name: string }>({ name: condition, text, values: [['7', '8', 'none']] });
      names = rows.map(({ name }) => name);
    }
    const { rows } = await client.query<{ custom_plans: string }>(
      'SELECT custom_plans FROM pg_prepared_statements WHERE name = $1',
      [condition],
    );
    return { names, plans: Number(rows[0]?.custom_plans) };
  };

  it('finds the same as ANY, with a plan that is kept', async () => {
    const names = ['thing 7', 'thing 8'];
    expect(await reading('ANY($1)')).toEqual({ names, plans: 10 });
    // PostgreSQL keeps a plan after five for given values.
    expect(await reading(anyOf('$1'))).toEqual({ names, plans: 5 });
  });

  it('uses the index', async () => {
    await client.query('ANALYZE thing');
    const { rows } = await client.query(`EXPLAIN SELECT name FROM thing t WHERE t.id = ${anyOf('$1')}`, [['7']]);
    expect(JSON.stringify(rows)).toContain('thing_pkey');
  });
});
