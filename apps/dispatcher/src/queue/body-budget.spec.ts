import { describe, expect, it } from '@jest/globals';
import { bodyBytesMax, socketMessageBytesMax, socketReadAhead, socketWindowBytes } from '../limits.js';
import { BodyBudget } from './body-budget.js';

describe('bytes on their way', () => {
  it('stalled receivers make messages small, until theirs are gone', () => {
    const budget = new BodyBudget();
    const stuck = Array.from({ length: 25 }, () => budget.begin(bodyBytesMax));
    expect(budget.bodyBytesMax).toBe(64 * 1024);
    expect(budget.socketMessageBytesMax).toBe(64 * 1024);
    expect(budget.socketBytesMax).toBe(64 * 1024);
    expect(budget.readAheadBytesMax).toBe(0);
    stuck[0]?.();
    stuck[0]?.();
    expect(budget.bodyBytesMax).toBe(bodyBytesMax);
    expect(budget.socketMessageBytesMax).toBe(socketMessageBytesMax);
    expect(budget.socketBytesMax).toBe(socketWindowBytes);
    expect(budget.readAheadBytesMax).toBe(socketReadAhead.bytesMax);
    budget.begin(bodyBytesMax);
    expect(budget.bodyBytesMax).toBe(64 * 1024);
  });

  it('all of a full replica stays below its memory', () => {
    const budget = new BodyBudget();
    let bytes = 0;
    for (let n = 0; n < 256; n++) {
      bytes += budget.bodyBytesMax;
      budget.begin(budget.bodyBytesMax);
    }
    expect(bytes).toBeLessThan(128 * 1024 * 1024);
  });
});
