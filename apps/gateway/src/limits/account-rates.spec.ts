import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { AccountRates, type Take } from './account-rates.js';
import { intervalMs, toleranceMs } from './gcra.js';
import type { SharedRate, SharedRates, SharedVerdict } from './shared-rates.js';

/** What the script does, for rates of one account; answers come when time advances. */
class Bucket implements Pick<SharedRates, 'settleRates'> {
  private readonly tats = new Map<string, number>();
  asked = 0;
  told = 0;

  constructor(private readonly clock: TestClock) {}

  async settleRates(_: string, rates: readonly SharedRate[], isTaking: boolean): Promise<SharedVerdict> {
    if (isTaking) this.asked++;
    else this.told++;
    const now = this.clock.now();
    const taken = Number(isTaking);
    const tats = rates.map(
      ({ name, rate, passed }) => Math.max(this.tats.get(name) ?? 0, now) + passed * intervalMs(rate),
    );
    const waits = rates.map(({ rate }, n) => (tats[n] ?? 0) + taken * intervalMs(rate) - now - toleranceMs(rate));
    const waitMs = isTaking ? Math.max(0, ...waits) : 0;
    rates.forEach(({ name, rate }, n) =>
      this.tats.set(name, (tats[n] ?? 0) + (waitMs > 0 ? 0 : taken * intervalMs(rate))),
    );
    return { waitMs, usedMs: rates.map(({ name }) => (this.tats.get(name) ?? 0) - now) };
  }
}

const rate = { perSecond: 100, burst: 80 };
const key: Take[] = [{ name: 'key', rate }];

const testSystem = (replicas: number) => {
  const clock = new TestClock();
  const bucket = new Bucket(clock);
  const all = Array.from({ length: replicas }, () => {
    return new AccountRates('account', bucket as unknown as SharedRates, clock, () => undefined);
  });
  /** How many of `count` requests pass, sent to the replicas in turn. */
  const flood = async (count: number): Promise<number> => {
    let passed = 0;
    for (let n = 0; n < count; n++) {
      const waitMs = await (all[n % replicas] as AccountRates).takeTokens(key);
      if (waitMs === 0) passed++;
    }
    return passed;
  };
  return { clock, bucket, all, flood };
};

describe('the rate of an account over replicas', () => {
  it('one that stays below a quarter of its burst never asks, and tells every 50 ms', async () => {
    const { clock, bucket, all } = testSystem(1);
    for (let n = 0; n < 100; n++) {
      expect(all[0]?.takeTokens(key)).toBe(0);
      await clock.advance(10);
    }
    expect(bucket.asked).toBe(0);
    expect(bucket.told).toBeGreaterThan(15);
    expect(bucket.told).toBeLessThan(21);
  });

  it.each([1, 2, 4])(
    'a flood on %i replicas passes one burst, and one more of each but the first at most',
    async (n) => {
      const passed = await testSystem(n).flood(400);
      expect(passed).toBeGreaterThanOrEqual(rate.burst);
      expect(passed).toBeLessThan(rate.burst + n);
    },
  );

  it('what more replicas let pass is waited for later', async () => {
    const { clock, flood } = testSystem(8);
    const first = await flood(400);
    expect(first).toBeGreaterThan(rate.burst);
    expect(first).toBeLessThan(2 * rate.burst + 8);
    let later = 0;
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000);
      later += await flood(400);
    }
    expect(first + later).toBeLessThanOrEqual(rate.burst + 10 * rate.perSecond + 8);
    expect(later).toBeGreaterThan(8 * rate.perSecond);
  });

  it('is forgotten when it is full again', async () => {
    const { clock, all, flood } = testSystem(1);
    await flood(10);
    expect(all[0]?.isIdle).toBe(false);
    await clock.advance(1_000);
    expect(all[0]?.isIdle).toBe(true);
  });

  it('waits no longer without Redis when the clock is set back', () => {
    const { clock, all } = testSystem(1);
    const waits = Array.from({ length: rate.burst + 1 }, () => all[0]?.takeLocally(key));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(rate.burst);
    clock.adjust(-3_600_000);
    expect(all[0]?.takeLocally(key)).toBe(intervalMs(rate));
  });
});
