import { describe, expect, it } from '@jest/globals';
import { Arrivals } from './arrivals.ts';

describe('arrivals', () => {
  const arrivals = new Arrivals();
  for (const number of [1_000, 1_001, 1_004, 1_002, 1_004]) arrivals.note('a', number);

  it('know what has not come', () => {
    expect(arrivals.lost('a', [1_000, 1_001, 1_002, 1_003, 1_004, 1_005])).toEqual([1_003, 1_005]);
    expect(arrivals.lost('b', [1_000])).toEqual([1_000]);
  });

  it('know what came after a later one, and what came again', () => {
    expect(arrivals.overtaken('a', [1_000, 1_002, 1_004])).toEqual([1_002]);
    expect(arrivals.overtaken('b', [1_000])).toEqual([]);
    expect([arrivals.values, arrivals.repeated]).toEqual([5, 1]);
  });

  it('know what is missing before the first that came, and what came late there', () => {
    const fromTheMiddle = new Arrivals();
    for (const number of [1_003, 1_004, 1_001]) fromTheMiddle.note('a', number);
    expect(fromTheMiddle.lost('a', [1_000, 1_001, 1_002, 1_003, 1_004])).toEqual([1_000, 1_002]);
    expect(fromTheMiddle.overtaken('a', [1_001, 1_003])).toEqual([1_001]);
    expect(fromTheMiddle.repeated).toBe(0);
  });
});
