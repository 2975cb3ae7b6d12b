import { describe, expect, it } from '@jest/globals';
import { pageBytesMax, withinPage } from './page-bytes.js';

const rows = (...sizes: number[]) => sizes.map((bytes) => ({ bytes }));

describe('a page of large records', () => {
  it.each([
    ['all', rows(1, 2, 3), 3],
    ['as many as fill it', rows(pageBytesMax - 1, 1), 2],
    ['none that is beyond', rows(pageBytesMax - 1, 1, 1), 2],
    ['the first one, however large', rows(pageBytesMax + 1, 0), 1],
    ['nothing', rows(), 0],
  ])('has %s', (_, given, shown) => {
    expect(withinPage(given)).toEqual(given.slice(0, shown));
  });
});
