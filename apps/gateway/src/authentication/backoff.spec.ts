import { describe, expect, it } from '@jest/globals';
import { type Clock, systemClock } from '@lanyard/service';
import { Backoff } from './backoff.js';

const minute = 60_000;

const clockAt = (): { clock: Clock; pass(ms: number): void } => {
  let nowMs = 1_000_000;
  return { clock: { ...systemClock, now: () => nowMs }, pass: (ms) => void (nowMs += ms) };
};

describe('back-off', () => {
  it('five failures are free, then the wait doubles up to 15 minutes', () => {
    const { clock, pass } = clockAt();
    const backoff = new Backoff(clock);
    const waits = Array.from({ length: 17 }, () => {
      backoff.failed('a');
      const wait = backoff.waitMs('a');
      pass(wait);
      expect(backoff.waitMs('a')).toBe(0);
      return wait / 1_000;
    });
    expect(waits.slice(0, 8)).toEqual([0, 0, 0, 0, 1, 2, 4, 8]);
    expect(Math.max(...waits)).toBe(900);
  });

  it('counts each name alone; a quiet hour ends it', () => {
    const { clock, pass } = clockAt();
    const backoff = new Backoff(clock);
    for (let i = 0; i < 9; i++) backoff.failed('a');
    expect(backoff.waitMs('a')).toBeGreaterThan(0);
    expect(backoff.waitMs('b')).toBe(0);
    for (let i = 0; i < 30; i++) backoff.failed('c');
    expect(backoff.waitMs('c')).toBe(15 * minute);
    pass(60 * minute);
    backoff.failed('c');
    expect(backoff.waitMs('c')).toBe(0);
  });

  it('begins again when the clock is set back, instead of lasting until that has caught up', () => {
    const { clock, pass } = clockAt();
    const backoff = new Backoff(clock);
    for (let i = 0; i < 6; i++) backoff.failed('a');
    pass(-60 * minute);
    expect(backoff.waitMs('a')).toBe(2_000);
    pass(2_000);
    expect(backoff.waitMs('a')).toBe(0);
  });
});
