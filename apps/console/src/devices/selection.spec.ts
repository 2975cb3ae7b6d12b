import { expect, it } from '@jest/globals';
import { idsMax, selectionIn, selectionOf } from './selection.ts';

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

it('has filters that the service accepts', () => {
  const [filter = ''] = selectionOf(
    Array.from({ length: 250 }, () => '0'.repeat(32)),
    undefined,
  );
  // POST /v3/device-suspensions takes 4,000 characters, and a URL 4,096.
  expect(filter.length).toBeLessThanOrEqual(4_000);
  expect(`/v3/devices/export?filter=${encodeURIComponent(filter)}`.length).toBeLessThanOrEqual(4_096);
  const [inGroup = ''] = selectionIn([filter], 'remove', '0'.repeat(32));
  const url = `/v3/devices?limit=1000&include=total_count&after=${'0'.repeat(32)}&filter=${encodeURIComponent(inGroup)}`;
  expect(url.length).toBeLessThanOrEqual(4_096);
});

it('has only the devices whose membership in a group changes', () => {
  expect(selectionIn([undefined], 'add', 'g')).toEqual(['groups__nin=g']);
  // Also if the list shows the devices of another group.
  expect(selectionIn(['groups=f', 'id__in=a,b'], 'remove', 'g')).toEqual([
    'groups=f&groups__in=g',
    'id__in=a,b&groups__in=g',
  ]);
});
