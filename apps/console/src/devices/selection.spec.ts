import { expect, it } from '@jest/globals';
import { idsMax, selectionOf } from './selection.ts';

const ids = (n: number): string[] => Array.from({ length: n }, (_, at) => `d${at}`);

it('is what the filter finds, unless devices are ticked', () => {
  expect(selectionOf([], undefined)).toEqual([undefined]);
  expect(selectionOf([], 'state=registered')).toEqual(['state=registered']);
  expect(selectionOf(['a', 'b'], 'state=registered')).toEqual(['id__in=a,b']);
});

it('has each ticked device once, in as many requests as their ids need', () => {
  const selection = selectionOf(ids(2 * idsMax + 1), undefined);
  const parts = selection.map((filter) => (filter ?? '').replace('id__in=', '').split(','));
  expect(parts.map(({ length }) => length)).toEqual([idsMax, idsMax, 1]);
  expect(parts.flat()).toEqual(ids(2 * idsMax + 1));
});
