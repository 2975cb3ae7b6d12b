import { describe, expect, it } from '@jest/globals';
import type { Closed } from './channel-registry.js';
import { lastDrops, newDrops, nothingDropped } from './drop-report.js';

describe('what is reported of dropped events', () => {
  it('is what came since the last report', () => {
    const first = newDrops(nothingDropped, { size: 5, age: 0, failed: 1 });
    expect(first.drops).toEqual([
      { reason: 'size', count: 5, total: 5 },
      { reason: 'failed', count: 1, total: 1 },
    ]);
    const second = newDrops(first.reported, { size: 5, age: 2, failed: 1 });
    expect(second.drops).toEqual([{ reason: 'age', count: 2, total: 2 }]);
    expect(newDrops(second.reported, { size: 5, age: 2, failed: 1 }).drops).toEqual([]);
  });

  it('never adds up to more than was dropped, whichever count an arrival lowered', () => {
    const { drops, reported } = newDrops({ size: 5, age: 0, failed: 0 }, { size: 2, age: 4, failed: 0 });
    expect(drops).toEqual([{ reason: 'age', count: 1, total: 1 }]);
    expect(reported).toEqual({ size: 5, age: 1, failed: 0 });
    expect(newDrops({ size: 5, age: 0, failed: 0 }, { size: 2, age: 1, failed: 0 }).drops).toEqual([]);
  });

  it('of a channel that ended: also what was queued', () => {
    const closed = { dropped: { size: 1, age: 0, failed: 0 }, events: 7 } as Closed;
    expect(lastDrops(nothingDropped, closed)).toEqual([
      { reason: 'size', count: 1, total: 1 },
      { reason: 'removed', count: 7, total: 7 },
    ]);
    expect(lastDrops({ size: 1, age: 0, failed: 0 }, { ...closed, events: 0 })).toEqual([]);
  });
});
