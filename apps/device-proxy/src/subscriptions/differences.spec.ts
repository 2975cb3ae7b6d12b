import { describe, expect, it } from '@jest/globals';
import { difference } from './differences.js';

const of = (keyId: string, ...paths: string[]) => paths.map((path) => ({ keyId, path }));

describe('difference', () => {
  it('leaves out what the others have for the same key', () => {
    const some = [...of('a', '/3/0', '/4/0'), ...of('b', '/3/0')];
    expect(difference(some, of('a', '/3/0', '/5/0'))).toEqual([...of('a', '/4/0'), ...of('b', '/3/0')]);
    expect(difference(some, some)).toEqual([]);
  });

  it('reads each of them once', () => {
    let reads = 0;
    const counted = Array.from({ length: 1_000 }, (_, n) => ({
      keyId: 'a',
      get path() {
        reads++;
        return `/3303/${n}`;
      },
    }));
    expect(difference(counted, counted)).toEqual([]);
    expect(reads).toBe(2 * counted.length);
  });
});
