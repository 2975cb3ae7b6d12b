import { ValidationFailed } from '@lanyard/service';
import { z } from 'zod';
import { attributes } from '../devices/device-fields.js';

const groupAttributesMax = 10;

const fields = {
  name: z.string().min(1).max(128),
  description: z.string().max(1024).nullable(),
  custom_attributes: attributes(groupAttributesMax),
};

/** Record members that clients may send back: never custom attributes. */
const readOnly = new Set(['id', 'object', 'etag', 'created_at', 'updated_at', 'devices_count', 'account_id']);

const topLevel = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !Object.hasOwn(fields, key) && !readOnly.has(key)));

/** Body of POST: custom attributes as further top-level keys (spec §2.1), or in an object of that name, or both. */
export const NewGroupSchema = z
  .looseObject({
    name: fields.name,
    description: fields.description.optional(),
    custom_attributes: fields.custom_attributes.optional(),
  })
  .meta({ id: 'NewDeviceGroup', description: 'Further top-level keys are custom attributes' });

export type NewGroupBody = z.infer<typeof NewGroupSchema>;

export interface NewGroup {
  name: string;
  description: string;
  custom_attributes: Record<string, string>;
}

/** Gathers both spellings of custom attributes. Throws ValidationFailed naming the attribute. */
export const newGroup = (body: NewGroupBody): NewGroup => {
  const merged = fields.custom_attributes.safeParse({ ...topLevel(body), ...body.custom_attributes });
  if (!merged.success)
    throw new ValidationFailed(
      merged.error.issues.map(({ path, message }) => ({
        name: path.map(String).join('.') || 'custom_attributes',
        message,
      })),
    );
  return { name: body.name, description: body.description ?? '', custom_attributes: merged.data };
};

/** Body of PUT: what is given is changed; custom attributes inside an object of that name (spec §2.1). */
export const GroupChangesSchema = z
  .object({
    name: fields.name.optional(),
    description: fields.description.optional(),
    custom_attributes: fields.custom_attributes.optional(),
  })
  .meta({ id: 'DeviceGroupChanges' });

export type GroupChanges = z.infer<typeof GroupChangesSchema>;

/** Body of add and remove: one device, under either name. */
export const MemberSchema = z
  .object({ device_id: z.string().optional(), id: z.string().optional() })
  .meta({ id: 'DeviceGroupMember' });
export type Member = z.infer<typeof MemberSchema>;

export const GroupSchema = z
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

export type Group = z.infer<typeof GroupSchema>;
