import { z } from 'zod';
import { id, instant, resourcePath } from './fields.js';
import { topic } from './topic.js';

export const SubscriptionStateSchema = z
  .object({
    keyId: id,
    deviceId: id,
    accountId: id,
    path: resourcePath,
    status: z.enum(['asked', 'confirmed', 'lost']),
    origin: z.enum(['resource', 'presubscription']),
    byDevice: z
      .literal(true)
      .optional()
      .describe('Of lost: the device ended it, by a full registration or because it does not report the path any more'),
    changedAt: instant,
  })
  .meta({ id: 'SubscriptionChanged' });

export type SubscriptionChanged = z.infer<typeof SubscriptionStateSchema>;

/** The subscription of one key to one path of one device. `lost`: by a full registration, by deletion, or refused. */
export const SubscriptionsState = topic<SubscriptionChanged>({
  name: 'subscriptions.state',
  kind: 'state',
  producers: ['device-proxy'],
  consumers: ['snapshot'],
  keyIs: 'key id / device id + path',
  key: (v) => `${v.keyId}/${v.deviceId}${v.path}`,
  description: 'A subscription was asked for, confirmed by the device, or lost.',
  schema: SubscriptionStateSchema,
});
