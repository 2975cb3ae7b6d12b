import { z } from 'zod';
import { endpointName, id, instant } from './fields.js';
import { topic } from './topic.js';

export const DeviceContactSchema = z
  .object({
    deviceId: id.describe('The id that the device gets; the same for each contact until the directory decides on it'),
    accountId: id,
    endpointName,
    endpointType: z.string().max(255).optional(),
    hostGateway: id.optional().describe('The LwM2M gateway that it is behind; absent for a device that came by itself'),
    occurredAt: instant,
  })
  .meta({ id: 'DeviceContacted' });

export type DeviceContacted = z.infer<typeof DeviceContactSchema>;

/**
 * An endpoint that the directory does not know wants to register, and its account admits it. The registry answers on
 * device.lifecycle: `created`, or `deleted` when the name belongs to another device, or a tombstone when the device with this id
 * was deleted. The device registers after that.
 */
export const DeviceContacts = topic<DeviceContacted>({
  name: 'device.contacts',
  kind: 'fact',
  producers: ['device-proxy'],
  consumers: ['registry'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'An endpoint that is not in the directory wants to register: the registry creates its device.',
  schema: DeviceContactSchema,
});
