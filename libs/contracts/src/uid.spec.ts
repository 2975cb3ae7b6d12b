import { describe, expect, it } from '@jest/globals';
import { newUid, timeOfUid } from './uid.js';

describe('uid', () => {
  it('says when it was made, and sorts by it', () => {
    const [early, late] = [newUid(1_700_000_000_123), newUid(1_700_000_000_124)];
    expect([timeOfUid(early), timeOfUid(late), early < late]).toEqual([1_700_000_000_123, 1_700_000_000_124, true]);
  });

  it('is different each time within a millisecond', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newUid(5))).size).toBe(1_000);
  });

  it.each(['', 'x', 'ec8d1a2e-4b7e-4c56-8a0f-0d2d2c1f9a11', '018bcfe5-687b-7000-0000-000000000000'])(
    'knows its own: not %j',
    (text) => expect(timeOfUid(text)).toBeUndefined(),
  );
});
