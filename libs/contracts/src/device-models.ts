import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

const number = z.number().int().min(0).max(65_534);

export const resourceTypes = [
  'string',
  'integer',
  'unsigned',
  'float',
  'boolean',
  'opaque',
  'time',
  'objlnk',
  'corelnk',
  'none',
] as const;

export const DeviceModelSchema = z
  .object({
    accountId: id,
    object: number.describe('Object id'),
    name: z.string().min(1).max(128),
    version: z.string().min(1).max(16),
    resources: z
      .array(
        z.object({
          id: number,
          name: z.string().min(1).max(128),
          type: z.enum(resourceTypes),
          operations: z.enum(['R', 'W', 'RW', 'E', '']),
          multiple: z.boolean(),
          unit: z.string().min(1).max(64).optional(),
        }),
      )
      .max(1_000),
    changedAt: instant,
  })
  .meta({ id: 'DeviceModelChanged' });

export type DeviceModelChanged = z.infer<typeof DeviceModelSchema>;

export const modelKey = (accountId: string, object: number, version: string): string =>
  `${accountId}/${object}/${version}`;

/** The definition of a version of an object that an account has uploaded. A definition that was deleted is a tombstone. */
export const DeviceModels = topic<DeviceModelChanged>({
  name: 'device.models',
  kind: 'state',
  producers: ['device-proxy'],
  consumers: ['device-proxy', 'snapshot'],
  keyIs: 'account id / object id / version',
  key: (v) => modelKey(v.accountId, v.object, v.version),
  description: 'An object definition that an account uploaded: types for payloads that carry none.',
  schema: DeviceModelSchema,
});
