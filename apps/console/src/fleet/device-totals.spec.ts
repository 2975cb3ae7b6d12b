import { expect, it } from '@jest/globals';
import { totalsOf } from './device-totals.ts';

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
