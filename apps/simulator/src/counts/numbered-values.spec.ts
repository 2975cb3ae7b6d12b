import { describe, expect, it } from '@jest/globals';
import { NumberedValues } from './numbered-values.js';

describe('numbered values', () => {
  it('count up per resource, and what was not acknowledged is known', () => {
    const values = new NumberedValues();
    expect([values.nextValue('a', '/1'), values.nextValue('a', '/1'), values.nextValue('b', '/1')]).toEqual([
      1_000, 1_001, 1_000,
    ]);
    values.acknowledged('a', '/1', 1_000);
    expect(values.all()).toEqual({
      'a /1': { first: 1_000, next: 1_002, unacknowledged: [1_001] },
      'b /1': { first: 1_000, next: 1_001, unacknowledged: [1_000] },
    });
  });
});
