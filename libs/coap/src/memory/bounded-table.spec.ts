import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.js';
import { TimerWheel } from '../timing/timer-wheel.js';
import { BoundedTable, type TableBounds } from './bounded-table.js';

const table = (bounds: Omit<TableBounds, 'idleMs'>) => {
  const clock = new ManualClock();
  const wheel = new TimerWheel(clock);
  return { clock, wheel, held: new BoundedTable<string, number>({ ...bounds, idleMs: 1_000 }, clock, wheel) };
};

describe('BoundedTable', () => {
  it('drops what was set longest ago when there are too many', () => {
    const { held } = table({ entriesMax: 2 });
    held.set('a', 1);
    held.set('b', 2);
    held.set('a', 3);
    held.set('c', 4);
    expect([held.get('a'), held.get('b'), held.get('c')]).toEqual([3, undefined, 4]);
  });

  it('counts bytes', () => {
    const { held } = table({ entriesMax: 10, bytesMax: 100 });
    held.set('a', 1, 60);
    held.set('a', 1, 40);
    held.set('b', 2, 60);
    expect([held.size, held.bytes]).toEqual([2, 100]);
    held.set('c', 3, 1);
    expect([held.get('a'), held.bytes]).toEqual([undefined, 61]);
    held.clear();
    expect([held.size, held.bytes]).toEqual([0, 0]);
  });

  it('drops the oldest of the group with most, so that no group pushes out another', () => {
    const { held } = table({ entriesMax: 4, bytesMax: 100 });
    const values = () => [...'abcde'].map((key) => held.get(key));
    held.set('a', 1, 40, 'x');
    held.set('b', 2, 30, 'y');
    held.set('c', 3, 30, 'y');
    held.set('d', 4, 30, 'y');
    expect(values()).toEqual([1, undefined, 3, 4, undefined]);
    held.set('c', 3, 1, 'y');
    held.set('d', 4, 1, 'y');
    held.set('b', 2, 1, 'y');
    held.set('e', 5, 1, 'y');
    expect(values()).toEqual([1, 2, undefined, 4, 5]);
  });

  it('drops what has expired before anything else', () => {
    const { clock, held } = table({ entriesMax: 3 });
    held.set('a', 1, 0, 'x');
    clock.advance(600);
    held.set('b', 2, 0, 'x');
    clock.advance(1_100);
    for (const key of 'cde') held.set(key, 3, 0, 'y');
    expect([...'cde'].map((key) => held.get(key))).toEqual([3, 3, 3]);
  });

  it('has room for a group within its bytes', () => {
    const { held } = table({ entriesMax: 10, perGroupBytesMax: 100 });
    held.set('a', 1, 60, 'x');
    expect([held.hasRoom('b', 40, 'x'), held.hasRoom('b', 41, 'x')]).toEqual([true, false]);
    expect([held.hasRoom('a', 100, 'x'), held.hasRoom('a', 101, 'x')]).toEqual([true, false]);
    expect(held.hasRoom('b', 100, 'y')).toBe(true);
    held.set('a', 1, 100, 'x');
    expect(held.hasRoom('b', 1, 'x')).toBe(false);
    held.delete('a');
    expect(held.hasRoom('b', 100, 'x')).toBe(true);
  });

  it('forgets in time, and stops its timer when empty', () => {
    const { clock, wheel, held } = table({ entriesMax: 10 });
    held.set('a', 1);
    clock.advance(600);
    held.set('b', 2);
    clock.advance(400);
    expect([held.get('a'), held.get('b')]).toEqual([undefined, 2]);
    clock.advance(1_100);
    expect([held.size, wheel.size]).toEqual([0, 0]);
  });
});
