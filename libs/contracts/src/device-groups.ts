import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

export const DeviceGroupsSchema = z
  .object({
    deviceId: id,
    accountId: id,
    groups: z.array(id).describe('All device groups that the device is in now; none for one that was deleted'),
    revision: z
      .number()
      .int()
      .nonnegative()
      .describe('Grows with each announcement of a device; several devices may share one'),
    changedAt: instant,
  })
  .meta({ id: 'DeviceGroupsChanged' });

export type DeviceGroupsChanged = z.infer<typeof DeviceGroupsSchema>;

/**
 * The groups of a device as they are now. Several changes in a short time are one announcement, so it names no request:
 * the audit entry of each change does (SYS_543, SYS_544). When its last group ends, the device is announced without groups, then
 * with a tombstone.
 */
export const DeviceGroups = topic<DeviceGroupsChanged>({
  name: 'device.groups',
  kind: 'state',
  producers: ['registry'],
  consumers: ['device-proxy', 'dispatcher', 'event-log'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'The device groups that a device is in.',
  schema: DeviceGroupsSchema,
});
