import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '@lanyard/service';
import { type HistoryParameters, readHistoryQuery } from './history-query.js';

const now = Date.parse('2026-11-24T06:00:00Z');

const wrongIn = (given: HistoryParameters): string[] => {
  try {
    readHistoryQuery(given, now);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.fields.map(({ name }) => name);
    throw error;
  }
  return [];
};

describe('the query of a history', () => {
  it('is the last day in 500 points, unless it says otherwise', () => {
    expect(readHistoryQuery({ path: '/3303/0/5700' }, now)).toEqual({
      path: '/3303/0/5700',
      fromMs: now - 86_400_000,
      toMs: now,
      points: 500,
    });
    const given = { path: '/3/0/7/1', from: '2026-11-24T05:00:00+01:00', to: '2026-11-24T05:00:00.5Z', points: '7' };
    expect(readHistoryQuery(given, now)).toEqual({
      path: '/3/0/7/1',
      fromMs: now - 2 * 3_600_000,
      toMs: now - 3_600_000 + 500,
      points: 7,
    });
  });

  it.each([1, 2_000])('takes %i points', (points) => {
    expect(readHistoryQuery({ path: '/3303/0/5700', points: String(points) }, now).points).toBe(points);
  });

  it.each<[HistoryParameters, string[]]>([
    [{}, ['path']],
    [{ path: '/3303/0' }, ['path']],
    [{ path: 'temperature' }, ['path']],
    [{ path: ['/3/0/0', '/3/0/1'] }, ['path']],
    [{ path: '/3/0/0', from: 'yesterday' }, ['from']],
    [{ path: '/3/0/0', to: '2026-13-01T00:00:00Z' }, ['to']],
    [{ path: '/3/0/0', from: '2026-02-30T00:00:00Z', to: '2026-02-30T06:00:00Z' }, ['to', 'from']],
    [{ path: '/3/0/0', from: '0000-06-01T00:00:00Z' }, ['from']],
    [{ path: '/3/0/0', to: '0000-06-01T00:00:00Z' }, ['to']],
    [{ path: '/3/0/0', to: '0001-01-01T00:30:00+01:00' }, ['to']],
    [{ path: '/3/0/0', from: '9999-12-31T23:00:00-02:00', to: '9999-12-31T23:30:00-02:00' }, ['to', 'from']],
    [{ path: '/3/0/0', from: '2026-11-24T06:00:00Z', to: '2026-11-24T05:00:00Z' }, ['from']],
    [{ path: '/3/0/0', points: '0' }, ['points']],
    [{ path: '/3/0/0', points: '2001' }, ['points']],
    [{ path: '/3/0/0', points: 'many' }, ['points']],
    [{ from: 'x', to: 'y', points: 'z' }, ['path', 'to', 'from', 'points']],
  ])('%j names %j', (given, names) => expect(wrongIn(given)).toEqual(names));
});
