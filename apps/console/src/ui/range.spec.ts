import { describe, expect, it } from '@jest/globals';
import { rangeOf, tickSteps } from './range.ts';

describe('the range of a chart', () => {
  it('of rates begins at zero', () => {
    expect(rangeOf('rate', 4, 100)).toEqual([0, 112.5]);
    expect(rangeOf('rate', 0, 0)).toEqual([0, 1]);
  });

  it('of values surrounds them, also below zero', () => {
    expect(rangeOf('values', 20, 30)).toEqual([18.75, 31.25]);
    expect(rangeOf('values', -30, -20)).toEqual([-31.25, -18.75]);
  });

  it('of one value has that in its middle', () => {
    expect(rangeOf('values', 50, 50)).toEqual([43.75, 56.25]);
    expect(rangeOf('values', 0, 0)).toEqual([-1, 1]);
  });

  it('of nothing is some range', () => expect(rangeOf('values', null, null)).toEqual([0, 1]));
});

it('a tick of a narrow chart lies within it, however long it is', () => {
  const [plotPx, apartPx] = [240, 80];
  const stepOf = (spanS: number) => tickSteps.find((step) => (step / spanS) * plotPx >= apartPx) ?? Infinity;
  const seconds = Array.from({ length: 86_400 }, (_, n) => n + 5);
  // An account keeps values for up to 31 days.
  const hours = Array.from({ length: 744 }, (_, n) => (n + 1) * 3_600);
  expect([...seconds, ...hours].filter((spanS) => stepOf(spanS) > spanS)).toEqual([]);
});
