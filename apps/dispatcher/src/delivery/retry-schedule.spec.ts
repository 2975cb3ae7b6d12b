import { describe, expect, it } from '@jest/globals';
import { retryWaitMs } from './retry-schedule.js';

describe('the wait before a retry (spec §8)', () => {
  it.each([1, 2, 4, 8, 16, 32, 64, 120, 120, 120].map((seconds, n) => [n + 1, seconds]))(
    'after %i failures is %i s',
    (failures, seconds) => {
      expect(retryWaitMs(failures)).toBe(seconds * 1_000);
    },
  );

  it('stays at 120 s', () => {
    expect(retryWaitMs(1_000)).toBe(120_000);
  });
});
