import { describe, expect, it } from '@jest/globals';
import { type Attributes } from '../objects/attributes.js';
import { NotificationRule } from './notification-rule.js';

/** Of values that are measured once a second, those that are notified. */
const notified = <T extends number | boolean>(values: readonly T[], attributes: Attributes): T[] => {
  const [initial, ...rest] = values as [T, ...T[]];
  const rule = new NotificationRule(initial, 0);
  return rest.filter((value, at) => {
    const nowMs = (at + 1) * 1_000;
    if (rule.decide(value, attributes, nowMs) !== 'notify') return false;
    rule.sent(value, nowMs);
    return true;
  });
};

describe('write attributes', () => {
  it('without a condition, each value is notified', () => {
    expect(notified([1, 1, 2], {})).toEqual([1, 2]);
  });

  it('gt and lt: the value crosses a limit, in either direction', () => {
    expect(notified([20, 24, 26, 27, 24, 14, 16], { gt: 25, lt: 15 })).toEqual([26, 24, 14, 16]);
  });

  it('st: the value is so far from the last one that was notified', () => {
    expect(notified([20, 20.5, 21, 21.5, 20], { st: 1 })).toEqual([21, 20]);
  });

  it('edge: the value becomes true, or false', () => {
    expect(notified([false, true, true, false, true], { edge: 1 })).toEqual([true, true]);
    expect(notified([true, false, false, true, false], { edge: 0 })).toEqual([false, false]);
  });

  it('pmin: not before the period has passed', () => {
    expect(notified([1, 2, 3, 4, 5, 6], { pmin: 2 })).toEqual([3, 5]);
    expect(new NotificationRule(1, 0).decide(2, { pmin: 3 }, 1_000)).toEqual({ waitMs: 2_000 });
  });

  it('pmax: when nothing was notified for so long; one below pmin does not count', () => {
    const rule = new NotificationRule(1, 0);
    expect(rule.untilMaximumMs({ pmax: 5 }, 2_000)).toBe(3_000);
    rule.sent(1, 2_000);
    expect(rule.untilMaximumMs({ pmax: 5 }, 2_000)).toBe(5_000);
    expect(rule.untilMaximumMs({ pmax: 5, pmin: 6 }, 2_000)).toBeUndefined();
    expect(rule.untilMaximumMs({}, 2_000)).toBeUndefined();
  });
});
