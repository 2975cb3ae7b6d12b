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

  it('many that answer: each waits a little for more, up to 25 ms', () => {
    const underWay = new UnderWay(clock, places);
    expect(underWay.lingerMs()).toBe(0);
    deliver(underWay, named('healthy', 40));
    expect(underWay.lingerMs()).toBe(10);
    deliver(underWay, named('more', 200));
    expect(underWay.lingerMs()).toBe(25);
  });

  it('those whose receivers do not answer make nobody wait', async () => {
    const underWay = new UnderWay(clock, places);
    const [hanging, healthy] = [named('hanging', 40), named('healthy', 8)];
    const end = deliver(underWay, hanging);
    deliver(underWay, healthy);
    expect(underWay.lingerMs()).toBe(12);
    await clock.advance(secondMs + 1);
    for (const channelId of healthy) underWay.answered(channelId);
    expect(underWay.lingerMs()).toBe(2);
    // Tried again: what they were like is known.
    await end();
    for (const channelId of hanging) underWay.judge(channelId, 20 * secondMs);
    deliver(underWay, hanging);
    await clock.advance(100);
    expect(underWay.lingerMs()).toBe(2);
  });

  it('slow ones get three quarters of the places, until they are fast again', () => {
    const underWay = new UnderWay(clock, places);
    const slow = named('slow', 76);
    for (const channelId of slow) underWay.judge(channelId, secondMs + 1);
    deliver(underWay, slow.slice(0, 74));
    expect(underWay.mustWait('slow-75')).toBe(false);
    deliver(underWay, slow.slice(74, 75));
    expect(underWay.mustWait('slow-75')).toBe(true);
    expect(underWay.mustWait('healthy')).toBe(false);
    underWay.judge('slow-75', secondMs);
    expect(underWay.mustWait('slow-75')).toBe(false);
  });

  it('a delivery that ends does not end the one that follows it', async () => {
    const underWay = new UnderWay(clock, places);
    const endFirst = deliver(underWay, ['channel']);
    const endSecond = deliver(underWay, ['channel']);
    await endFirst();
    expect(underWay.has('channel')).toBe(true);
    await endSecond();
    expect(underWay.has('channel')).toBe(false);
    expect(underWay.end('channel')).toBeUndefined();
  });
});
