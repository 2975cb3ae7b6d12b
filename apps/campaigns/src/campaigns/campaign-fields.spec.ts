import { expect, it } from '@jest/globals';
import { CampaignChanges, columnsOfFields, NewCampaign } from './campaign-fields.js';

it('null clears the description, as in other records', () => {
  const made = NewCampaign.parse({ name: 'Meters', firmware_image_id: 'x', description: null });
  for (const fields of [{ description: made.description }, { description: null }])
    expect(columnsOfFields(fields)).toEqual({ description: '' });
  expect(CampaignChanges.safeParse({ description: null }).success).toBe(true);
  expect(NewCampaign.parse({ name: 'Meters', firmware_image_id: 'x' }).description).toBe('');
  expect(columnsOfFields({ retries: 1 })).toEqual({ retries: 1 });
});
