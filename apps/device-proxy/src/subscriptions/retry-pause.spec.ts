import { describe, expect, it } from '@jest/globals';
import { retryPauseMs } from './retry-pause.js';

const least = (): number => 0;
const most = (): number => 1 - Number.EPSILON;

describe('the pause before subscriptions are applied again', () => {
  it('doubles after each failure, up to five minutes, and no less than half of that', () => {
    for (const [failures, longestMs] of [
      [1, 5_000],
      [2, 10_000],
      [6, 160_000],
      [7, 300_000],
      [2_000, 300_000],
    ] as const) {
      expect(retryPauseMs(failures, least)).toBe(longestMs / 2);
      expect(retryPauseMs(failures, most)).toBeCloseTo(longestMs);
      expect(retryPauseMs(failures, most)).toBeLessThanOrEqual(longestMs);
    }
  });

  it('is spread evenly over its second half', () => {
    const pauses = [0, 0.2, 0.4, 0.6, 0.8].map((drawn) => retryPauseMs(1, () => drawn));
    expect(pauses).toEqual([2_500, 3_000, 3_500, 4_000, 4_500]);
  });
});
