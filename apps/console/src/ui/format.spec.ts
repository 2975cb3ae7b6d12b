import { describe, expect, it } from '@jest/globals';
import { age, duration } from './format.ts';

describe('a duration', () => {
  it.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [60, '1 minute'],
    [3_600, '1 hour'],
    [5_400, '1 hour 30 minutes'],
    [86_400, '1 day'],
    [90_061, '1 day 1 hour 1 minute 1 second'],
    [31_536_000, '365 days'],
  ])('of %i s is %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});

describe('an age', () => {
  const now = Date.parse('2026-11-24T06:00:00Z');

  it.each([
    ['2026-11-24T05:59:59.500Z', 'now'],
    ['2026-11-24T06:00:09Z', 'now'],
    ['2026-11-24T05:59:59Z', '1 second ago'],
    ['2026-11-24T05:58:30Z', '1 minute ago'],
    ['2026-11-23T07:00:00Z', '23 hours ago'],
    ['2026-10-24T06:00:00Z', '31 days ago'],
  ])('of %s is %s', (at, text) => expect(age(at, now)).toBe(text));
});
