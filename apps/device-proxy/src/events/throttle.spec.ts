import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { Throttle } from './throttle.js';

describe('the next report about the same key', () => {
  it.each([
    ['a moment later', 1_000, false],
    ['after the period', 60_000, true],
    ['when the clock was set back', -300_000, true],
  ])('%s', async (_, laterMs, isDue) => {
    const clock = new TestClock();
    const throttle = new Throttle(clock, 60_000);
    expect(throttle.isDue('key')).toBe(true);
    await clock.advance(laterMs);
    expect(throttle.isDue('key')).toBe(isDue);
  });
});
