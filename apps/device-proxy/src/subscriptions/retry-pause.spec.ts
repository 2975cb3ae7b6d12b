import { describe, expect, it } from '@jest/globals';
import { afterFailures, afterSilence, retryPauseMs } from './retry-pause.js';

const least = (): number => 0;
const most = (): number => 1 - Number.EPSILON;

describe('the pause before subscriptions are applied again', () => {
  it.each([
    ['five minutes after failures', afterFailures, [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]],
    ['an hour after silence', afterSilence, [60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000]],
  ] as const)('doubles up to %s, and is no less than half of that', (_, pauses, longestMs) => {
    longestMs.forEach((pauseMs, before) => {
      expect(retryPauseMs(pauses, before + 1, least)).toBe(pauseMs / 2);
      expect(retryPauseMs(pauses, before + 1, most)).toBeCloseTo(pauseMs);
      expect(retryPauseMs(pauses, before + 1, most)).toBeLessThanOrEqual(pauseMs);
    });
    expect(retryPauseMs(pauses, 2_000, most)).toBeCloseTo(pauses.longestMs);
  });

  it('is spread evenly over its second half', () => {
    const pauses = [0, 0.2, 0.4, 0.6, 0.8].map((drawn) => retryPauseMs(afterFailures, 1, () => drawn));
    expect(pauses).toEqual([2_500, 3_000, 3_500, 4_000, 4_500]);
  });
});
