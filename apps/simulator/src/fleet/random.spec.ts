import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './random.js';

describe('chance', () => {
  it('is the same for the same seed', () => {
    const [a, b, c] = [seededRandom(7), seededRandom(7), seededRandom(8)];
    const first = [a(), a(), a()];
    expect([b(), b(), b()]).toEqual(first);
    expect([c(), c(), c()]).not.toEqual(first);
    expect(first.every((number) => number >= 0 && number < 1)).toBe(true);
  });
});
