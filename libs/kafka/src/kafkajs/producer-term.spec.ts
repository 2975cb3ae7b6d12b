import { describe, expect, it } from '@jest/globals';
import { ProducerTerm } from './producer-term.js';

describe('a term of a producer', () => {
  it('counts the records of each partition', () => {
    const term = new ProducerTerm(5n, 2);
    const stamps = [
      term.stamp('a', 0, 3),
      term.stamp('a', 0, 2),
      term.stamp('a', 1, 1),
      term.stamp('b', 0, 1),
      term.stamp('a', 0, 1),
    ];
    expect(stamps.map(({ sequence }) => sequence)).toEqual([0, 3, 0, 0, 5]);
    expect(stamps[0]).toEqual({ producerId: 5n, epoch: 2, sequence: 0 });
  });

  it('begins again behind the last number that there is', () => {
    const term = new ProducerTerm(5n, 2);
    term.stamp('a', 0, 2 ** 31 - 1);
    expect([term.stamp('a', 0, 2).sequence, term.stamp('a', 0, 1).sequence]).toEqual([2 ** 31 - 1, 1]);
  });
});
