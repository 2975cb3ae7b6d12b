import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import { DeliverySlots } from './delivery-slots.js';

const secondMs = 1_000;

describe('slots of deliveries', () => {
  const clock = new TestClock();
  const slotsMax = 100;

  const deliver = (slots: DeliverySlots, channelIds: string[]): (() => Promise<void>) => {
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (end = resolve));
    for (const channelId of channelIds) slots.add(channelId, done);
    return async () => {
      end();
      await done;
    };
  };
  const named = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const answer = (slots: DeliverySlots, channelIds: string[], tookMs: number): void => {
    for (const channelId of channelIds) slots.answered(channelId, tookMs);
  };

  it('many that answer: each waits a little for more, up to 25 ms', () => {
    const slots = new DeliverySlots(clock, slotsMax);
    expect(slots.lingerMs()).toBe(0);
    deliver(slots, named('healthy', 40));
    expect(slots.lingerMs()).toBe(10);
    deliver(slots, named('more', 200));
    expect(slots.lingerMs()).toBe(25);
  });

  it('those whose receivers do not answer delay no other channel', async () => {
    const slots = new DeliverySlots(clock, slotsMax);
    const [hanging, healthy] = [named('hanging', 40), named('healthy', 8)];
    const end = deliver(slots, hanging);
    deliver(slots, healthy);
    expect(slots.lingerMs()).toBe(12);
    await clock.advance(secondMs + 1);
    answer(slots, healthy, 5);
    expect(slots.lingerMs()).toBe(2);
    // Tried again: what they were like is known.
    answer(slots, hanging, 20 * secondMs);
    await end();
    deliver(slots, hanging);
    await clock.advance(100);
    expect(slots.lingerMs()).toBe(2);
  });

  it('a quarter of the slots is for those that were quick the last time', () => {
    const slots = new DeliverySlots(clock, slotsMax);
    answer(slots, ['healthy'], 5);
    deliver(slots, named('unknown', 74));
    expect([slots.mustWait('another'), slots.reserve('another')]).toEqual([false, true]);
    slots.releaseReservation('another');
    deliver(slots, ['another']);
    expect([slots.mustWait('one more'), slots.reserve('one more')]).toEqual([true, false]);
    expect([slots.mustWait('healthy'), slots.reserve('healthy')]).toEqual([false, true]);
    // One of them turns out to be quick.
    answer(slots, ['another'], 5);
    expect(slots.mustWait('one more')).toBe(false);
  });

  it('an eighth of the slots is for those that were not slow the last time', () => {
    const slots = new DeliverySlots(clock, slotsMax);
    const slow = named('slow', slotsMax);
    answer(slots, slow, secondMs + 1);
    for (const channelId of slow) if (!slots.mustWait(channelId)) deliver(slots, [channelId]);
    expect([slots.size, slots.mustWait('new'), slots.reserve('new')]).toEqual([63, false, true]);
    slots.releaseReservation('new');
    deliver(slots, named('new', 12));
    expect(slots.mustWait('one more')).toBe(true);
  });

  it('one that was slow is claimed without events, and is so again after a quick answer', () => {
    const slots = new DeliverySlots(clock, slotsMax);
    answer(slots, ['channel'], secondMs + 1);
    expect(slots.reserve('channel')).toBe(false);
    answer(slots, ['channel'], secondMs);
    expect(slots.reserve('channel')).toBe(true);
  });

  it('reserves no more slots than there are, and those again that were not needed', () => {
    const slots = new DeliverySlots(clock, slotsMax);
    const [first, second] = [named('first', slotsMax + 1), named('second', slotsMax)];
    answer(slots, [...first, ...second], 5);
    expect(first.filter((channelId) => slots.reserve(channelId))).toEqual(first.slice(0, slotsMax));
    expect(slots.free).toBe(0);
    for (const channelId of first.slice(0, 30)) slots.releaseReservation(channelId);
    expect(second.filter((channelId) => slots.reserve(channelId))).toEqual(second.slice(0, 30));
    expect(slots.free).toBe(0);
  });

  it('a channel keeps its slot from a delivery over reservations to the next delivery', async () => {
    const slots = new DeliverySlots(clock, 1);
    const end = deliver(slots, ['channel']);
    expect([slots.reserve('channel'), slots.reserve('channel'), slots.reserve('another')]).toEqual([true, true, false]);
    await end();
    expect([slots.free, slots.reserve('another')]).toEqual([0, false]);
    slots.releaseReservation('channel');
    expect(slots.free).toBe(0);
    slots.releaseReservation('channel');
    expect([slots.free, slots.reserve('another')]).toEqual([1, true]);
  });

  it('a delivery that ends does not end the one that follows it', async () => {
    const slots = new DeliverySlots(clock, slotsMax);
    const endFirst = deliver(slots, ['channel']);
    const endSecond = deliver(slots, ['channel']);
    await endFirst();
    expect(slots.has('channel')).toBe(true);
    await endSecond();
    expect(slots.has('channel')).toBe(false);
    expect(slots.deliveryEnd('channel')).toBeUndefined();
  });
});
