import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

describe('back-off', () => {
  it.each([
    [0, 1_000, 2_000],
    [1, 2_000, 4_000],
    [5, 32_000, 64_000],
    [9, 150_000, 300_000],
    [1_000, 150_000, 300_000],
  ])('after %i failures a pause between %i and %i ms', (failures, least, most) => {
    const limits = { firstMs: 2_000, maxMs: 300_000 };
    expect([backOffMs(failures, limits, () => 0), backOffMs(failures, limits, () => 1)]).toEqual([least, most]);
  });
});
