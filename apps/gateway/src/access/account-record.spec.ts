import { expect, it } from '@jest/globals';
import { AccountChange, customFieldsMax, NewAccount } from './account-record.js';

const customFields = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`field_${n}`, 'text']));

it.each([
  [customFieldsMax, true],
  [customFieldsMax + 1, false],
])('an account with %i custom fields is accepted: %s', (count, isAccepted) => {
  const given = { display_name: 'Tenant', custom_fields: customFields(count) };
  const accepted = [AccountChange, NewAccount].map((schema) => schema.safeParse(given).success);
  expect(accepted).toEqual([isAccepted, isAccepted]);
});
