import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { lookupKeptMs } from './limits.js';
import { LookupResults } from './lookup-results.js';

describe('the result of a lookup', () => {
  it.each([
    ['a moment later', 1_000, 'none'],
    ['after its time', lookupKeptMs, undefined],
    ['when the clock was set back', -300_000, undefined],
  ])('%s', async (_, laterMs, owner) => {
    const clock = new TestClock();
    const results = new LookupResults(clock);
    results.set('0011', 'none');
    await clock.advance(laterMs);
    expect(results.ownerOf('0011')).toBe(owner);
  });
});
