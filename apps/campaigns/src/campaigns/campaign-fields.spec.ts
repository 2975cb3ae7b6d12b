import { expect, it } from '@jest/globals';
import { CampaignChanges, columnsOfFields, endOf, NewCampaign } from './campaign-fields.js';

it('null clears the description, as in other records', () => {
  const made = NewCampaign.parse({ name: 'Meters', firmware_image_id: 'x', description: null });
  for (const fields of [{ description: made.description }, { description: null }])
    expect(columnsOfFields(fields)).toEqual({ description: '' });
  expect(CampaignChanges.safeParse({ description: null }).success).toBe(true);
  expect(NewCampaign.parse({ name: 'Meters', firmware_image_id: 'x' }).description).toBe('');
  expect(columnsOfFields({ retries: 1 })).toEqual({ retries: 1 });
});

it.each([
  ['2027-01-01T00:00:00.1234567Z', '2027-01-01T00:00:00.123456Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999999Z'],
  [null, null],
])('the time %s is stored as %s, to the microsecond', (time, stored) => {
  const body = { name: 'Meters', firmware_image_id: 'x', when: time, ends_at: time };
  const { when, ends_at: endsAt } = NewCampaign.parse(body);
  expect(columnsOfFields({ when, ends_at: endsAt })).toEqual({ starts_at: stored, ends_at: stored });
});

it.each([
  ['2027-01-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
  ['9999-12-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
])('a campaign that starts at %s ends at %s', (start, end) => {
  expect(endOf(Date.parse(start), null).toISOString()).toBe(end);
});
