import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isolate, type Isolation } from '@lanyard/testing';
import { connect, dump } from './backup/database.ts';
import { linesOf } from './backup/states.ts';

let isolation: Isolation;

beforeAll(async () => {
  isolation = await isolate('large-rows');
});
afterAll(() => isolation.drop());

it('a line of a backup stays far below the longest string, however large the rows of a table are', async () => {
  const client = await connect(isolation.databaseUrl);
  const lines: { rows?: (string | null)[][] }[] = [];
  try {
    await client.query(`CREATE SCHEMA snapshot;
      CREATE TABLE snapshot.resources (n int, value text);
      INSERT INTO snapshot.resources
        SELECT n, CASE WHEN n > 500 THEN repeat('x', 1000000) END FROM generate_series(1, 540) n`);
    const counts = await dump(client, async (line) => void lines.push(line));
    expect(counts).toEqual({ 'snapshot.resources': 540 });
  } finally {
    await client.end();
  }
  expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(2 ** 25);
  const rows = lines.flatMap((line) => line.rows ?? []);
  expect(rows.map(([n]) => Number(n))).toEqual(Array.from({ length: 540 }, (_, at) => at + 1));
  expect(rows.filter(([, value]) => value?.length === 1_000_000)).toHaveLength(40);
});

it('so does one with values of a topic, and it has at most 1,000 of them', () => {
  const small = Array.from({ length: 1_500 }, (_, n) => ({ n }));
  const large = Array.from({ length: 40 }, () => ({ name: 'x'.repeat(1_000_000) }));
  const values = [...small, ...large];
  const lines = linesOf('topic', values);
  expect(lines.flatMap((line) => line.values)).toEqual(values);
  expect(lines.map((line) => line.values.length)).toEqual([1_000, 516, 16, 8]);
  expect(new Set(lines.map(({ topic }) => topic))).toEqual(new Set(['topic']));
});
