import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/service';
import { UnderWay } from './under-way.js';

const secondMs = 1_000;

describe('channels under way', () => {
  const clock = new TestClock();
  const places = 100;

  const deliver = (underWay: UnderWay, channelIds: string[]): (() => Promise<void>) => {
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (end = resolve));
    for (const channelId of channelIds) underWay.add(channelId, done);
    return async () => {
      end();
      await done;
    };
  };
  const named = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const answer = (underWay: UnderWay, channelIds: string[], tookMs: number): void => {
    for (const channelId of channelIds) underWay.answered(channelId, tookMs);
  };

  it('many that answer: each waits a little for more, up to 25 ms', () => {
    const underWay = new UnderWay(clock, places);
    expect(underWay.lingerMs()).toBe(0);
    deliver(underWay, named('healthy', 40));
    expect(underWay.lingerMs()).toBe(10);
    deliver(underWay, named('more', 200));
    expect(underWay.lingerMs()).toBe(25);
  });

  it('those whose receivers do not answer delay no other channel', async () => {
    const underWay = new UnderWay(clock, places);
    const [hanging, healthy] = [named('hanging', 40), named('healthy', 8)];
    const end = deliver(underWay, hanging);
    deliver(underWay, healthy);
    expect(underWay.lingerMs()).toBe(12);
    await clock.advance(secondMs + 1);
    answer(underWay, healthy, 5);
    expect(underWay.lingerMs()).toBe(2);
    // Tried again: what they were like is known.
    answer(underWay, hanging, 20 * secondMs);
    await end();
    deliver(underWay, hanging);
    await clock.advance(100);
    expect(underWay.lingerMs()).toBe(2);
  });

  it('a quarter of the places is for those that were quick the last time', () => {
    const underWay = new UnderWay(clock, places);
    answer(underWay, ['healthy'], 5);
    deliver(underWay, named('unknown', 74));
    expect([underWay.mustWait('another'), underWay.promise('another')]).toEqual([false, 'promised']);
    underWay.redeem();
    deliver(underWay, ['another']);
    expect([underWay.mustWait('one more'), underWay.promise('one more')]).toEqual([true, 'none']);
    expect([underWay.mustWait('healthy'), underWay.promise('healthy')]).toEqual([false, 'promised']);
    // One of them turns out to be quick.
    answer(underWay, ['another'], 5);
    expect(underWay.mustWait('one more')).toBe(false);
  });

  it('one that was slow is claimed without events, and is so again after a quick answer', () => {
    const underWay = new UnderWay(clock, places);
    answer(underWay, ['channel'], secondMs + 1);
    expect(underWay.promise('channel')).toBe('none');
    answer(underWay, ['channel'], secondMs);
    expect(underWay.promise('channel')).toBe('promised');
  });

  it('promises no more places than there are, and those again that were not needed', () => {
    const underWay = new UnderWay(clock, places);
    const channels = named('healthy', 101);
    const promised = (): string[] => channels.filter((channelId) => underWay.promise(channelId) === 'promised');
    answer(underWay, channels, 5);
    expect(promised()).toHaveLength(places);
    expect(underWay.free).toBe(0);
    for (let n = 0; n < 30; n++) underWay.redeem();
    expect(promised()).toHaveLength(30);
    for (let n = 0; n < places; n++) underWay.redeem();
    deliver(underWay, channels.slice(0, places));
    expect([underWay.promise('healthy-0'), underWay.promise('healthy-100')]).toEqual(['has', 'none']);
    expect(underWay.free).toBe(0);
  });

  it('a delivery that ends does not end the one that follows it', async () => {
    const underWay = new UnderWay(clock, places);
    const endFirst = deliver(underWay, ['channel']);
    const endSecond = deliver(underWay, ['channel']);
    await endFirst();
    expect(underWay.has('channel')).toBe(true);
    await endSecond();
    expect(underWay.has('channel')).toBe(false);
    expect(underWay.deliveryEnd('channel')).toBeUndefined();
  });
});
