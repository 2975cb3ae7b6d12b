import { fieldProblems, recordChange, ValidationFailed } from '@lanyard/service';
import { z } from 'zod';
import { attributes, notBlank } from '../devices/device-fields.js';

const groupAttributesMax = 10;

const fields = {
  name: notBlank(z.string().min(1).max(128)),
  description: z.string().max(1024).nullable(),
  custom_attributes: attributes(groupAttributesMax),
};

/** Members of the record that cannot be set on a new group, and are never custom attributes. */
const readOnly = ['id', 'object', 'etag', 'created_at', 'updated_at', 'devices_count', 'account_id'];

/** The top-level keys that are custom attributes. Throws ValidationFailed with the read-only members. */
const topLevelAttributes = (body: Record<string, unknown>): Record<string, unknown> => {
  const refused = readOnly.filter((name) => Object.hasOwn(body, name));
  if (refused.length > 0)
    throw new ValidationFailed(refused.map((name) => ({ name, message: 'Read-only: must not be set on a new group' })));
  return Object.fromEntries(Object.entries(body).filter(([key]) => !Object.hasOwn(fields, key)));
};

/** Body of POST: custom attributes are further top-level keys (spec §2.1), or in an object of that name, or both. */
export const NewGroupBody = z
  .looseObject({
    name: fields.name,
    description: fields.description.optional(),
    custom_attributes: fields.custom_attributes.optional(),
  })
  .meta({ id: 'NewDeviceGroup', description: 'Additional top-level keys are custom attributes' });

export type NewGroupBody = z.infer<typeof NewGroupBody>;

/** Merges both spellings of custom attributes. Throws ValidationFailed with the attribute. */
export const newGroup = (body: NewGroupBody): Record<string, unknown> => {
  const merged = fields.custom_attributes.safeParse({ ...topLevelAttributes(body), ...body.custom_attributes });
  if (!merged.success)
    throw new ValidationFailed(
      fieldProblems(merged.error.issues).map(({ name, message }) => ({
        name: name === 'body' ? 'custom_attributes' : name,
        message,
      })),
    );
  return { name: body.name, description: body.description ?? '', custom_attributes: merged.data };
};

/** Body of add and remove: one device, under either name. */
export const Member = z
  .strictObject({ device_id: z.string().optional(), id: z.string().optional() })
  .refine(({ device_id: deviceId, id }) => deviceId === undefined || id === undefined || deviceId === id, {
    path: ['id'],
    message: 'Must be the same device as device_id',
  })
  .meta({ id: 'DeviceGroupMember', examples: [{ device_id: '0178a2c0d1e400000000000100100001' }] });
export type Member = z.infer<typeof Member>;

export const Group = z
  .object({
    object: z.literal('device-group'),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    custom_attributes: z.record(z.string(), z.string()),
    devices_count: z.number().int(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'DeviceGroup' });

export type Group = z.infer<typeof Group>;

export const changeable = {
  name: fields.name.optional(),
  description: fields.description.optional(),
  custom_attributes: fields.custom_attributes.optional(),
};

/** Body of PUT: changes the given fields; custom attributes are in an object of that name (spec §2.1). */
export const GroupChanges = recordChange(Group, changeable).meta({
  id: 'DeviceGroupChanges',
  examples: [{ description: 'North hall' }],
});

export type GroupChanges = z.infer<typeof GroupChanges>;
