import { describe, expect, it } from '@jest/globals';
import { Tally } from './expected.ts';

const bodyOf = (...numbers: number[]) =>
  Buffer.from(
    JSON.stringify({
      notifications: numbers.map((number) => ({ ep: 'a', payload: Buffer.from(String(number)).toString('base64') })),
    }),
  );

describe('a tally of values', () => {
  it('that came in order, some of them twice, is right', () => {
    const tally = new Tally();
    tally.note(bodyOf(1, 2));
    tally.note(bodyOf(2, 3));
    tally.verifyOrder();
    expect([tally.twice, tally.seen.size]).toEqual([1, 3]);
  });

  it('is refused when a value came after a later one of its device', () => {
    const tally = new Tally();
    tally.note(bodyOf(1, 3));
    tally.note(bodyOf(2));
    expect(() => tally.verifyOrder()).toThrow('value 2 of a was overtaken');
  });
});
