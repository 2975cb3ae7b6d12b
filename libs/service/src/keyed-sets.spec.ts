import { describe, expect, it } from '@jest/globals';
import { KeyedSets } from './keyed-sets.js';

describe('sets by key', () => {
  it('have what was added under their key and not deleted', () => {
    const sets = new KeyedSets<string, number>();
    sets.add('a', 1);
    sets.add('a', 2);
    sets.add('a', 1);
    sets.add('b', 3);
    expect([...sets.get('a')]).toEqual([1, 2]);
    expect(sets.values()).toEqual([1, 2, 3]);
    expect(sets.delete('a', 1)).toBe(true);
    expect(sets.delete('a', 1)).toBe(false);
    expect(sets.delete('b', 3)).toBe(true);
    expect(sets.get('b').size).toBe(0);
    expect(sets.values()).toEqual([2]);
  });

  it('can change while they are read', () => {
    const sets = new KeyedSets<string, number>();
    sets.add('a', 1);
    sets.add('a', 2);
    const read: number[] = [];
    for (const value of sets.get('a')) {
      read.push(value);
      sets.delete('a', value);
    }
    expect(read).toEqual([1, 2]);
    expect(sets.values()).toEqual([]);
  });
});
