import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const decoded = z
  .union([scalar, z.record(z.string(), scalar)])
  .optional()
  .describe(
    'The value in the type of the resource; for a resource with several instances, one value per instance id. Absent for opaque values and if the type is unknown',
  );

export const EchoResource = z
  .object({
    resource_path: z.string(),
    object_name: z.string().optional().describe('Of its object, if that is known: Temperature …'),
    name: z.string().optional().describe('Of the resource, if its object is known'),
    type: z.string().optional().describe('Of the resource, if its object is known: float, string …'),
    unit: z
      .string()
      .optional()
      .describe(
        'Of the value, as the object definition names it or as the instance reports it in Sensor Units (5701): Cel, % …',
      ),
    operations: z
      .enum(['R', 'W', 'RW', 'E'])
      .optional()
      .describe('What the object definition allows, if that is known: R read, W write, E execute'),
    subscribed: z.boolean().describe('True when any application has a confirmed subscription that covers the path'),
    reported: z
      .object({
        value: z.string().describe('base64'),
        decoded,
        content_type: z.string(),
        reported_at: z
          .string()
          .describe('When the device measured the value, if it reported a time; otherwise when the value arrived'),
        expires_at: z.string().describe('reported_at + max-age'),
      })
      .optional(),
    desired: z
      .object({
        value: z.string().describe('base64'),
        decoded,
        status: z.number().int().describe('0 pending, 1 success, 2 failure'),
        desired_at: z.string().describe('When the command was sent'),
        status_updated_at: z.string().describe('When it succeeded or failed'),
      })
      .optional(),
  })
  .meta({ id: 'DeviceEchoResource' });

/** The device state snapshot (spec §2.4). */
export const DeviceEcho = z
  .object({
    object: z.literal('device-echo'),
    device_id: z.string(),
    endpoint_name: z.string(),
    created_at: z.string().describe('When this response was created'),
    updated_at: z.string().optional().describe('Last registration event'),
    last_reported_at: z.string().optional(),
    last_desired_at: z.string().optional(),
    stored_bytes: z.number().int().describe('Size of the snapshot in the database, without indexes'),
    resources: z.array(EchoResource),
  })
  .meta({ id: 'DeviceEcho' });

export type EchoResource = z.infer<typeof EchoResource>;
export type DeviceEcho = z.infer<typeof DeviceEcho>;
