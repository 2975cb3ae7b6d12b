import { describe, expect, it } from '@jest/globals';
import { ReplayWindow } from './replay-window.js';

/** The rule of RFC 6347 §4.1.2.6 with a set. */
class Model {
  private readonly seen = new Set<number>();
  private newest = -1;

  isFresh(sequence: number): boolean {
    return sequence > this.newest - 64 && !this.seen.has(sequence);
  }

  mark(sequence: number): boolean {
    const isNewest = sequence > this.newest;
    this.seen.add(sequence);
    this.newest = Math.max(this.newest, sequence);
    return isNewest;
  }
}

describe('the replay window', () => {
  it.each([1, 2, 3, 5, 31, 32, 33, 40, 63, 64, 65, 200])('agrees with a set for steps of up to %i', (stepMax) => {
    const [window, model] = [new ReplayWindow(), new Model()];
    let base = 0;
    let seed = stepMax;
    const below = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % max;
    for (let round = 0; round < 5_000; round += 1) {
      base += below(3) === 0 ? below(stepMax + 1) : 0;
      const sequence = Math.max(0, base - below(70));
      const isFresh = model.isFresh(sequence);
      expect(window.isFresh(sequence)).toBe(isFresh);
      if (isFresh) expect(window.mark(sequence)).toBe(model.mark(sequence));
    }
  });

  it.each([31, 32, 33, 63, 64, 65, 2 ** 40])('remembers what came before a jump of %i', (jump) => {
    const window = new ReplayWindow();
    for (const sequence of [0, 1, 2, 3]) window.mark(sequence);
    window.mark(3 + jump);
    const fresh = [0, 1, 2, 3, 4].map((sequence) => window.isFresh(sequence));
    expect(fresh).toEqual([false, false, false, false, jump <= 64]);
  });
});
