import { describe, expect, it } from '@jest/globals';
import { newUid, timeOfUid, uidOf } from './uid.js';

describe('uid', () => {
  it('says when it was made, and sorts by it', () => {
    const [early, late] = [newUid(1_700_000_000_123), newUid(1_700_000_000_124)];
    expect([timeOfUid(early), timeOfUid(late), early < late]).toEqual([1_700_000_000_123, 1_700_000_000_124, true]);
  });

  it('is different each time within a millisecond', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newUid(5))).size).toBe(1_000);
  });

  it('is a UUID of version 7, random where it is not the time', () => {
    const uids = Array.from({ length: 4_000 }, () => newUid(0));
    for (const uid of uids) expect(uid).toMatch(/^00000000-0000-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const digitsAt = (place: number): number => new Set(uids.map((uid) => uid[place])).size;
    const random = [15, 16, 17, 20, 21, 22, ...Array.from({ length: 12 }, (_, n) => 24 + n)];
    expect(random.map(digitsAt)).toEqual(random.map(() => 16));
    expect(digitsAt(19)).toBe(4);
  });

  it('of a source and a time is the same each time', () => {
    const uid = uidOf('a', 1_700_000_000_123);
    expect(timeOfUid(uid)).toBe(1_700_000_000_123);
    expect(uidOf('a', 1_700_000_000_123)).toBe(uid);
    expect(uidOf('a', 1_700_000_000_124)).not.toBe(uid);
    expect(uidOf('b', 1_700_000_000_123)).not.toBe(uid);
    for (let n = 0; n < 100; n++) expect(timeOfUid(uidOf(String(n), n))).toBe(n);
  });

  it.each(['', 'x', 'ec8d1a2e-4b7e-4c56-8a0f-0d2d2c1f9a11', '018bcfe5-687b-7000-0000-000000000000'])(
    'knows its own: not %j',
    (text) => expect(timeOfUid(text)).toBeUndefined(),
  );
});
