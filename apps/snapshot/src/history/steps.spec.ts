import { describe, expect, it } from '@jest/globals';
import { type KeptValue, stepSeconds, stepsOf } from './steps.js';

const hourMs = 3_600_000;
const from = Date.parse('2026-11-24T06:00:00Z');
const at = (seconds: number, decoded?: KeptValue['decoded']): KeptValue => ({ atMs: from + seconds * 1_000, decoded });

describe('steps of a history', () => {
  it.each([
    [hourMs, 500, 10],
    [24 * hourMs, 500, 300],
    [60_000, 2_000, 1],
    [744 * hourMs, 500, 7_200],
  ])('%i ms in at most %i points are steps of %i s', (rangeMs, points, seconds) => {
    expect(stepSeconds(from, from + rangeMs, points)).toBe(seconds);
  });

  it.each([
    [60_000, 1],
    [24 * hourMs, 1],
    [745 * hourMs, 2],
  ])('%i ms may touch more than %i of any length', (rangeMs, points) => {
    expect(stepSeconds(from, from + rangeMs, points)).toBeUndefined();
  });

  it('have minimum, maximum, mean and last of numbers', () => {
    expect(stepsOf([at(0, 4), at(5, 1), at(9.9, 1), at(10, 7), at(31, -1)], 10)).toEqual([
      { fromMs: from, count: 3, min: 1, max: 4, mean: 2, last: 1 },
      { fromMs: from + 10_000, count: 1, min: 7, max: 7, mean: 7, last: 7 },
      { fromMs: from + 30_000, count: 1, min: -1, max: -1, mean: -1, last: -1 },
    ]);
  });

  it('show how often a boolean was true', () => {
    expect(stepsOf([at(0, true), at(1, false), at(2, false), at(3, true)], 10)).toEqual([
      { fromMs: from, count: 4, min: 0, max: 1, mean: 0.5, last: true },
    ]);
  });

  it('count strings and opaque values, and have the last of strings', () => {
    expect(stepsOf([at(0, 'open'), at(1, 'closed')], 10)).toEqual([{ fromMs: from, count: 2, last: 'closed' }]);
    expect(stepsOf([at(0), at(1)], 10)).toEqual([{ fromMs: from, count: 2 }]);
    expect(stepsOf([at(0, { 0: 1 })], 10)).toEqual([{ fromMs: from, count: 1, last: { 0: 1 } }]);
  });

  it('do not overflow', () => {
    const { MAX_VALUE } = Number;
    expect(stepsOf([at(0, MAX_VALUE), at(1, MAX_VALUE)], 10)).toMatchObject([{ mean: MAX_VALUE }]);
  });

  it('look at each value a few times only, however many steps there are', () => {
    let looks = 0;
    const values = Array.from({ length: 10_000 }, (_, n) => ({
      get atMs() {
        looks++;
        return from + n * 5_000;
      },
      decoded: n,
    }));
    expect(stepsOf(values, 10)).toHaveLength(5_000);
    expect(looks).toBeLessThan(4 * values.length);
  });

  it('are none of nothing', () => expect(stepsOf([], 10)).toEqual([]));
});
