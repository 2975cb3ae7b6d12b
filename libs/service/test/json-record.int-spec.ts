import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { isoTime, jsonRecord, openDatabase, PreparedReads } from '../src/index.js';

describe('records that PostgreSQL puts together', () => {
  let isolation: Isolation;
  let database: DataSource;
  beforeAll(async () => {
    isolation = await isolate('json-record');
    const options = { schema: 'own', entities: [], migrations: [], applicationName: 'test' };
    database = await openDatabase({ url: isolation.databaseUrl, ...options });
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  const record = async (sql: string, values: unknown[] = []): Promise<unknown> => {
    const [row] = await new PreparedReads(database).tuples<[string]>(`SELECT ${sql}`, values);
    return JSON.parse(row?.[0] ?? '');
  };

  it('are JSON of every kind, in the order of their members', async () => {
    const found = await record(
      jsonRecord('thing', [
        { name: 'id', sql: "'a1'", kind: 'token' },
        { name: 'at', sql: isoTime("'2024-01-01T10:00:00.123Z'::timestamptz"), kind: 'token' },
        { name: 'never', sql: isoTime('NULL::timestamptz'), kind: 'plain' },
        { name: 'day', sql: "'2024-02-29'::date::text", kind: 'plain' },
        { name: 'yes', sql: 'true', kind: 'value' },
        { name: 'no', sql: 'NULL::boolean', kind: 'value' },
        { name: 'count', sql: '7', kind: 'value' },
        { name: 'map', sql: `'{"a": "b"}'::jsonb`, kind: 'json' },
        { name: 'list', sql: "to_json(ARRAY['x', 'y'])", kind: 'json' },
        { name: 'last', sql: "''", kind: 'token' },
      ]),
    );
    const expected = {
      object: 'thing',
      id: 'a1',
      at: '2024-01-01T10:00:00.123000Z',
      never: null,
      day: '2024-02-29',
      yes: true,
      no: null,
      count: 7,
      map: { a: 'b' },
      list: ['x', 'y'],
      last: '',
    };
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
  });

  it.each(['', '"', '\\', 'a\nb\r\t', '\u0001\u001f\u007f', '\u2028', 'ü 😀', "'; --", '{"a":1}', 'null'])(
    'keep the text %j',
    async (text) => {
      const sql = jsonRecord('thing', [{ name: 'text', sql: '$1::text', kind: 'value' }]);
      expect(await record(sql, [text])).toEqual({ object: 'thing', text });
    },
  );

  it('may have more members than a call has arguments', async () => {
    const names = Array.from({ length: 120 }, (_, n) => `m${n}`);
    const sql = jsonRecord(
      'thing',
      names.map((name, n) => ({ name, sql: `${n}`, kind: n % 2 ? ('json' as const) : ('value' as const) })),
    );
    expect(await record(sql)).toEqual({ object: 'thing', ...Object.fromEntries(names.map((name, n) => [name, n])) });
  });
});
