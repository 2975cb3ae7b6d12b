import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@lanyard/service';
import { LocalClock } from './local-clock.js';

const hourMs = 3_600_000;

describe('the clock of what begins and ends in this process', () => {
  const wallClock = Date.now;

  afterEach(() => {
    Date.now = wallClock;
  });

  it.each([hourMs, -hourMs])('does not move when the wall clock is set by %i ms', (byMs) => {
    const clock = new LocalClock(systemClock);
    const before = clock.now();
    Date.now = () => wallClock() + byMs;
    expect(Math.abs(clock.now() - before)).toBeLessThan(1_000);
  });

  it('jumps when an injected clock does', () => {
    const clock = new LocalClock({ ...systemClock, now: () => Date.now() + 5 * hourMs });
    expect(clock.now() - performance.now()).toBeGreaterThan(5 * hourMs - 1_000);
  });
});
