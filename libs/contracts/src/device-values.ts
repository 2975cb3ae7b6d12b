import { z } from 'zod';
import { valueText } from './device-values-text.js';
import { AsyncResponseItemSchema } from './async-response.js';
import { base64, endpointName, id, instant, objectVersions, resourcePath } from './fields.js';
import { topic } from './topic.js';

export const NotificationItemSchema = z.object({
  ep: id,
  path: resourcePath,
  ct: z.string().describe('Media type'),
  payload: base64.describe('Bytes as the device sent them'),
  'max-age': z.number().int().nonnegative().describe('Seconds'),
});

export const ResourceValueSchema = z
  .object({
    item: NotificationItemSchema,
    cause: z.enum(['notify', 'read', 'auto-observation', 'send']),
    deviceId: id,
    accountId: id,
    endpointName,
    epoch: z.number().int().nonnegative().describe('Of the session that the value came in'),
    sequence: z.number().int().nonnegative().describe('Grows within an epoch: (epoch, sequence) orders a device'),
    observedAt: instant.describe('When the device-proxy received it'),
    measuredAt: instant
      .optional()
      .describe('When the device measured it, where it says so; never later than observedAt. Absent: as it arrived'),
    objectVersions: objectVersions.optional().describe('Of the objects in the payload, where the device names one'),
    audience: z.array(id).describe('Key ids that subscribed to the path when the value came'),
    answer: z
      .object({ uid: z.string().min(1), keyId: id, item: AsyncResponseItemSchema })
      .optional()
      .describe('On the first value of a subscription: its answer, which leaves before the value'),
  })
  .meta({ id: 'ResourceValueArrived' });

export type ResourceValueArrived = z.infer<typeof ResourceValueSchema>;

/**
 * A value arrived from a device. `path` may name an instance or object: the payload then holds several resources.
 * The device got its acknowledgement only after this was stored, so a value may repeat with the same content.
 */
export const DeviceValues = topic<ResourceValueArrived>({
  name: 'device.values',
  kind: 'fact',
  producers: ['device-proxy'],
  consumers: ['snapshot', 'dispatcher'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'A resource value arrived: the value, its origin, and the keys whose channels get it.',
  schema: ResourceValueSchema,
  text: valueText,
  delivery: (v) => ({
    category: 'notifications',
    accountId: v.accountId,
    audience: v.audience,
    endpointName: v.endpointName,
    measuredAt: v.measuredAt,
    ahead: v.answer && {
      uid: v.answer.uid,
      category: 'async-responses',
      audience: [v.answer.keyId],
      item: v.answer.item,
    },
  }),
});
