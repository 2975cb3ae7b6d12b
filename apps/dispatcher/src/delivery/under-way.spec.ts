import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
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
    expect([underWay.mustWait('another'), underWay.promise('another')]).toEqual([false, true]);
    underWay.redeem('another');
    deliver(underWay, ['another']);
    expect([underWay.mustWait('one more'), underWay.promise('one more')]).toEqual([true, false]);
    expect([underWay.mustWait('healthy'), underWay.promise('healthy')]).toEqual([false, true]);
    // One of them turns out to be quick.
    answer(underWay, ['another'], 5);
    expect(underWay.mustWait('one more')).toBe(false);
  });

  it('one that was slow is claimed without events, and is so again after a quick answer', () => {
    const underWay = new UnderWay(clock, places);
    answer(underWay, ['channel'], secondMs + 1);
    expect(underWay.promise('channel')).toBe(false);
    answer(underWay, ['channel'], secondMs);
    expect(underWay.promise('channel')).toBe(true);
  });

  it('promises no more places than there are, and those again that were not needed', () => {
    const underWay = new UnderWay(clock, places);
    const [first, second] = [named('first', places + 1), named('second', places)];
    answer(underWay, [...first, ...second], 5);
    expect(first.filter((channelId) => underWay.promise(channelId))).toEqual(first.slice(0, places));
    expect(underWay.free).toBe(0);
    for (const channelId of first.slice(0, 30)) underWay.redeem(channelId);
    expect(second.filter((channelId) => underWay.promise(channelId))).toEqual(second.slice(0, 30));
    expect(underWay.free).toBe(0);
  });

  it('a channel keeps its place from a delivery over promises to the next delivery', async () => {
    const underWay = new UnderWay(clock, 1);
    const end = deliver(underWay, ['channel']);
    expect([underWay.promise('channel'), underWay.promise('channel'), underWay.promise('another')]).toEqual([
      true,
      true,
      false,
    ]);
    await end();
    expect([underWay.free, underWay.promise('another')]).toEqual([0, false]);
    underWay.redeem('channel');
    expect(underWay.free).toBe(0);
    underWay.redeem('channel');
    expect([underWay.free, underWay.promise('another')]).toEqual([1, true]);
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
