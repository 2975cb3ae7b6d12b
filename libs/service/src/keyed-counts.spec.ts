import { expect, it } from '@jest/globals';
import { KeyedCounts } from './keyed-counts.js';

it('numbers by key are never below 0, and only keys with a number are kept', () => {
  const counts = new KeyedCounts();
  counts.increment('a');
  counts.increment('a');
  counts.increment('b');
  counts.decrement('a');
  counts.decrement('b');
  counts.decrement('c');
  expect(['a', 'b', 'c'].map((key) => counts.get(key))).toEqual([1, 0, 0]);
  expect(counts.size).toBe(1);
});
