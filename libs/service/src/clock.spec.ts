import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock.js';

const periodMs = 500;

/** A timer of Node.js may end within the millisecond before it is due. */
const earlyMaxMs = 1;

describe('periodic work', () => {
  it('that began at different moments is done together, and not before its period has passed', async () => {
    const togetherMs = 100;
    const beganMs: number[] = [];
    const doneMs: number[][] = [[], []];
    const timers = [];
    for (const times of doneMs) {
      beganMs.push(performance.now());
      timers.push(systemClock.every(periodMs, () => times.push(performance.now())));
      await sleep(periodMs / 2);
    }
    while (doneMs.some(({ length }) => length < 3)) await sleep(periodMs);
    for (const timer of timers) timer.cancel();
    const [first = [], second = []] = doneMs;
    for (const [n, times] of doneMs.entries())
      expect((times[0] ?? 0) - (beganMs[n] ?? 0)).toBeGreaterThanOrEqual(periodMs - earlyMaxMs);
    for (const time of second.slice(0, 2))
      expect(Math.min(...first.map((other) => Math.abs(other - time)))).toBeLessThan(togetherMs);
  });

  it('ends when it is cancelled, also from within', async () => {
    let [within, outside] = [0, 0];
    const ending = systemClock.every(periodMs, () => {
      within++;
      ending.cancel();
    });
    const other = systemClock.every(periodMs, () => outside++);
    other.cancel();
    while (within === 0) await sleep(periodMs);
    await sleep(2 * periodMs);
    expect([within, outside]).toEqual([1, 0]);
  });

  it('of a shorter period than the others is done for itself', async () => {
    let times = 0;
    const beganMs = performance.now();
    const timer = systemClock.every(20, () => times++);
    while (times < 3) await sleep(20);
    timer.cancel();
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(3 * (20 - earlyMaxMs));
  });
});

describe('a delay that is longer than a timer of Node takes', () => {
  const monthMs = 30 * 86_400_000;

  it('is not over at once', async () => {
    const over: string[] = [];
    const timer = systemClock.after(monthMs, () => over.push('after'));
    const ending = new AbortController();
    const sleeping = systemClock.sleep(monthMs, ending.signal).then(() => over.push('sleep'));
    // Node would end both after a millisecond.
    await sleep(20);
    expect(over).toEqual([]);
    timer.cancel();
    ending.abort();
    await sleeping;
  });
});
