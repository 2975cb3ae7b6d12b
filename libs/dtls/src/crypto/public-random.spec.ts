import { describe, expect, it } from '@jest/globals';
import { publicRandom } from './public-random.js';

describe('public random bytes', () => {
  it('are as many as asked for, and never the same twice', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => publicRandom(16 + (index % 17)));
    expect(all.every(({ length }, index) => length === 16 + (index % 17))).toBe(true);
    expect(new Set(all.map((bytes) => bytes.toString('hex', 0, 16))).size).toBe(1_000);
  });

  it('are not changed later', () => {
    const first = publicRandom(32);
    const text = first.toString('hex');
    for (let index = 0; index < 300; index += 1) publicRandom(32);
    expect(first.toString('hex')).toBe(text);
  });
});
