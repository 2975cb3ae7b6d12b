import { describe, expect, it } from '@jest/globals';
import { newId } from '../ids.js';
import { ValidationFailed } from '../errors/service-error.js';
import { filtersToSql } from './filters.js';
import { listEnvelope, type ListSpec, listText, parseListQuery } from './list-query.js';

const spec: ListSpec = {
  filters: { state: 'text', created_at: 'date', operator_suspended: 'bool', devices_count: 'number' },
  maps: ['custom_attributes'],
};

const problemsOf = (query: Record<string, string>): string[] => {
  try {
    parseListQuery(query, spec);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.fields.map((f) => f.name);
  }
  return [];
};

describe('list query', () => {
  it.each([
    [undefined, 50],
    ['', 50],
    ['1', 2],
    ['0', 2],
    ['-7', 2],
    ['2', 2],
    ['17', 17],
    ['1000', 1000],
    ['1001', 1000],
    ['5000', 1000],
  ])('limit %s gives %i', (limit, expected) => {
    expect(parseListQuery({ limit }, spec).limit).toBe(expected);
  });

  it('reads both spellings of filters, mixed', () => {
    const query = parseListQuery(
      { state__eq: 'registered', filter: 'created_at__gte=2024-01-01T00:00:00Z&custom_attributes__site=a%20b' },
      spec,
    );
    expect(query.filters).toEqual([
      { field: 'state', operator: 'eq', values: ['registered'] },
      { field: 'created_at', operator: 'gte', values: ['2024-01-01T00:00:00.000000Z'] },
      { field: 'custom_attributes.site', map: 'custom_attributes', key: 'site', operator: 'eq', values: ['a b'] },
    ]);
  });

  it('several packed filters hold together', () => {
    const query = parseListQuery({ filter: ['state=a', '', 'state__neq=b&operator_suspended=true'] }, spec);
    expect(query.filters.map(({ values }) => values)).toEqual([['a'], ['b'], [true]]);
  });

  it('a packed filter is percent-encoded: a plus is a plus', () => {
    const query = parseListQuery({ filter: 'state__in=+49,a%2Bb,a%20b,a b' }, spec);
    expect(query.filters[0]?.values).toEqual(['+49', 'a+b', 'a b', 'a b']);
  });

  it.each([
    ['20240101T000000Z', '2024-01-01T00:00:00.000000Z'],
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000000Z'],
    ['2024-01-01', '2024-01-01T00:00:00.000000Z'],
    ['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.500000Z'],
    ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123456Z'],
    ['2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00.123456Z'],
    ['2024-01-01T01:30:00.000001+01:30', '2024-01-01T00:00:00.000001Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2024-02-29T10:00Z', '2024-02-29T10:00:00.000000Z'],
    ['2024-01-01 00:00:00.25+0130', '2023-12-31T22:30:00.250000Z'],
  ])('reads the date %s as %s', (text, read) => {
    expect(parseListQuery({ created_at__lte: text }, spec).filters[0]?.values).toEqual([read]);
  });

  it('reads a time without a zone as UTC, also where the clock of the server has another zone', () => {
    const { TZ } = process.env;
    process.env['TZ'] = 'Asia/Kolkata';
    try {
      expect(new Date('2024-01-01T00:00:00').toISOString()).toBe('2023-12-31T18:30:00.000Z');
      const { filters } = parseListQuery({ created_at__in: '2024-01-01T00:00:00,2024-01-01 00:00:00.5' }, spec);
      expect(filters[0]?.values).toEqual(['2024-01-01T00:00:00.000000Z', '2024-01-01T00:00:00.500000Z']);
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  it('a free key may be called like an operator', () => {
    const names = ['lte', 'in', 'eq'].flatMap((key) => [`custom_attributes__${key}`, `custom_attributes__${key}__neq`]);
    const { filters } = parseListQuery(Object.fromEntries(names.map((name) => [name, 'a,b'])), spec);
    expect(filters.map(({ key, operator, values }) => [key, operator, values])).toEqual([
      ['lte', 'eq', ['a,b']],
      ['lte', 'neq', ['a,b']],
      ['in', 'eq', ['a,b']],
      ['in', 'neq', ['a,b']],
      ['eq', 'eq', ['a,b']],
      ['eq', 'neq', ['a,b']],
    ]);
  });

  it('bare names mean equality, lists are comma separated', () => {
    expect(parseListQuery({ state: 'a', state__in: 'b,c' }, spec).filters).toEqual([
      { field: 'state', operator: 'eq', values: ['a'] },
      { field: 'state', operator: 'in', values: ['b', 'c'] },
    ]);
  });

  it.each([
    [{ colour: 'red' }, ['colour']],
    [{ colour__eq: 'red' }, ['colour__eq']],
    [{ state__gte: 'a' }, ['state__gte']],
    [{ operator_suspended: 'perhaps' }, ['operator_suspended']],
    [{ created_at__gte: 'yesterday' }, ['created_at__gte']],
    [{ created_at__gte: '2024-13-01' }, ['created_at__gte']],
    [{ created_at__gte: '2024-02-30' }, ['created_at__gte']],
    [{ created_at__lte: '2023-02-29T00:00:00Z' }, ['created_at__lte']],
    [{ created_at__lte: '20240431T000000Z' }, ['created_at__lte']],
    [{ created_at__gte: '2024-01-01T25:00:00Z' }, ['created_at__gte']],
    [{ created_at__in: '2024-01-01,0000-01-01' }, ['created_at__in']],
    [{ created_at__lte: '9999-12-31T23:59:59-01:00' }, ['created_at__lte']],
    [{ limit: 'many', order: 'UP' }, ['limit', 'order']],
    [{ toString: 'x' }, ['toString']],
    [{ filter: 'state=%00' }, ['state']],
    [{ filter: 'state__in=a,b%00' }, ['state__in']],
    [{ filter: 'custom_attributes__%00=a' }, ['custom_attributes__\0']],
  ])('400 for %j naming %j', (query, names) => {
    expect(problemsOf(query)).toEqual(names);
  });

  it('ignores unknown include values', () => {
    expect(parseListQuery({ include: 'totalCount' }, spec).includeTotal).toBe(false);
    expect(parseListQuery({ include: 'x, total_count' }, spec).includeTotal).toBe(true);
    expect(parseListQuery({ include: ['x', 'total_count'] }, spec).includeTotal).toBe(true);
  });

  it('never puts a value into SQL', () => {
    const { filters } = parseListQuery(
      {
        state__in: "x';drop table,y",
        custom_attributes__a__neq: 'b',
        devices_count__gte: '3',
        custom_attributes__c: "d'",
      },
      spec,
    );
    const parameters: unknown[] = ['account'];
    expect(
      filtersToSql(filters, { state: 'd.state', devices_count: 'n', custom_attributes: 'd.attributes' }, parameters),
    ).toEqual([
      'd.state = ANY($2)',
      '(d.attributes ->> $3) IS DISTINCT FROM $4',
      'n >= $5',
      'd.attributes @> jsonb_build_object($6::text, $7::text)',
    ]);
    expect(parameters).toEqual(['account', ["x';drop table", 'y'], 'a', 'b', 3, 'c', "d'"]);
  });

  it('one row more than the limit says that more follow', () => {
    const query = parseListQuery({ limit: '2' }, spec);
    expect(listEnvelope([1, 2, 3], query)).toEqual({
      object: 'list',
      data: [1, 2],
      limit: 2,
      after: null,
      order: 'ASC',
      has_more: true,
    });
    expect(listEnvelope([1, 2], query, 2)).toMatchObject({ has_more: false, total_count: 2 });
  });

  it.each([[{ limit: '2' }], [{ limit: '2', after: newId(), order: 'DESC' }], [{ limit: '9' }]])(
    'of records that are text already is the same list for %j',
    (given) => {
      const query = parseListQuery(given, spec);
      const records = [{ id: 1 }, { id: 2 }, { id: 3 }];
      const texts = records.map((record) => JSON.stringify(record));
      const page = texts.slice(0, query.limit);
      for (const total of [undefined, 3])
        expect(listText(page, texts.length > query.limit, query, total).text).toBe(
          JSON.stringify(listEnvelope(records, query, total)),
        );
    },
  );
});
