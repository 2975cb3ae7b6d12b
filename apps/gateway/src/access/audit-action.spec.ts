import { expect, it } from '@jest/globals';
import { differences } from './audit-action.js';

it('the event log names the fields that were removed, beside those with a new value', () => {
  const before = { name: 'meters', expiration: '2030-01-01T00:00:00.000000Z', device_groups: ['g1'], etag: '1' };
  const now = { name: 'meters', device_groups: null, owner: 'plant', etag: '2' };
  expect(differences(before, now)).toEqual({ expiration: '', device_groups: 'null', owner: 'plant' });
});
