import { expect, it } from '@jest/globals';
import { percentOf, totalsOf } from './device-totals.ts';

const labelled = (counts: Parameters<typeof totalsOf>[0]): Record<string, number> =>
  Object.fromEntries(totalsOf(counts).map(({ label, n }) => [label, n]));

it('has every state, those that devices pass through while there are any', () => {
  expect(labelled({ total: 3, by_state: { registered: 3 }, by_lifecycle_status: { enabled: 2, blocked: 1 } })).toEqual({
    'All devices': 3,
    Registered: 3,
    Deregistered: 0,
    'Never registered': 0,
    Suspended: 1,
  });
  const passing = { bootstrapped: 2, cloud_enrolling: 1 };
  expect(labelled({ total: 3, by_state: passing, by_lifecycle_status: {} })).toMatchObject({
    Bootstrapped: 2,
    Enrolling: 1,
  });
});

it('leads to the devices that it counts', () => {
  const totals = totalsOf({ total: 1, by_state: { bootstrapped: 1 }, by_lifecycle_status: {} });
  const found = totals.map(({ search }) => search);
  expect(found).toContainEqual({ state: 'bootstrapped' });
  expect(found.at(-1)).toEqual({ lifecycle_status: 'blocked' });
});

it.each([
  [0, '0 %'],
  [1, '< 1 %'],
  [499, '< 1 %'],
  [500, '1 %'],
  [50_000, '50 %'],
  [99_499, '99 %'],
  [99_999, '> 99 %'],
  [100_000, '100 %'],
])('says which share of 100,000 devices %i are', (n, text) => expect(percentOf(n, 100_000)).toBe(text));
