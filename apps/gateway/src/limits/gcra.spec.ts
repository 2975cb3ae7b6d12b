import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { gcra } from './gcra.js';
import { namesMax, owedMaxMs, UnauthenticatedRates } from './unauthenticated-rates.js';

const rate = { perSecond: 10, burst: 3 };

describe('rate', () => {
  it('takes the burst at once, then one every interval', () => {
    let tatMs = 0;
    const waits = [0, 0, 0, 0, 50, 100, 100].map((nowMs) => {
      const verdict = gcra(tatMs, 1_000 + nowMs, rate);
      tatMs = verdict.tatMs;
      return verdict.waitMs;
    });
    expect(waits).toEqual([0, 0, 0, 100, 50, 0, 100]);
  });

  it('is full again after a pause, and no fuller', () => {
    expect(gcra(0, 1e9, rate)).toEqual({ tatMs: 1e9 + 100, waitMs: 0 });
  });

  it('counts each name alone, and looks without taking', async () => {
    const clock = new TestClock();
    const rates = new UnauthenticatedRates({ unauthenticatedRate: rate }, clock);
    for (const name of ['a', 'a', 'a', 'b']) rates.takeToken(name);
    expect([rates.waitMs('a'), rates.waitMs('b'), rates.waitMs('c')]).toEqual([100, 0, 0]);
    await clock.advance(100);
    expect([rates.waitMs('a'), rates.waitMs('a')]).toEqual([0, 0]);
  });

  it('makes a name wait for tokens that requests took together, a minute at most', async () => {
    const clock = new TestClock();
    const rates = new UnauthenticatedRates({ unauthenticatedRate: rate }, clock);
    for (let n = 0; n < 23; n++) rates.takeToken('a');
    expect(rates.waitMs('a')).toBe(2_100);
    await clock.advance(2_100);
    expect(rates.waitMs('a')).toBe(0);
    for (let n = 0; n < 10_000; n++) rates.takeToken('a');
    expect(rates.waitMs('a')).toBe(owedMaxMs + 100);
  });

  it('keeps no name waiting until a clock that was set back has caught up', async () => {
    const clock = new TestClock();
    const rates = new UnauthenticatedRates({ unauthenticatedRate: rate }, clock);
    for (let n = 0; n < 3; n++) rates.takeToken('a');
    await clock.advance(-3_600_000);
    const waits = [1, 2, 3, 4].map(() => {
      const waitMs = rates.waitMs('a');
      rates.takeToken('a');
      return waitMs;
    });
    expect(waits).toEqual([0, 0, 0, 100]);
  });

  it('forgets the longest unused names beyond its bound', () => {
    const rates = new UnauthenticatedRates({ unauthenticatedRate: { perSecond: 1, burst: 1 } }, new TestClock());
    for (let n = 0; n <= namesMax; n++) rates.takeToken(String(n));
    expect([rates.waitMs('0') > 0, rates.waitMs('1') > 0]).toEqual([false, true]);
  });
});
