import { describe, expect, it } from '@jest/globals';
import { duration } from './format.ts';

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
