import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

export const DeviceEventSchema = z
  .object({
    eventId: id.describe('Unique over all accounts. An entry that is announced again has the same id and time'),
    deviceId: id.optional().describe('Absent for what happened to the account and not to one device'),
    accountId: id,
    eventCode: z
      .string()
      .max(64)
      .regex(/^(SYS|UPD\d)_([A-Z]+_)?\d+$/)
      .describe('Spec §6.2, for example SYS_112'),
    description: z.string().max(2000).optional(),
    stateChange: z.boolean().optional(),
    changes: z.record(z.string(), z.string()).optional(),
    data: z.record(z.string(), z.string()).optional().describe('For example campaign_id'),
    occurredAt: instant,
  })
  .meta({ id: 'DeviceEventReported' });

export type DeviceEventReported = z.infer<typeof DeviceEventSchema>;

/**
 * Entries for the device event log that other systems write. The device-proxy
 * writes SYS_400 here (a device was refused because of its credential or its name), SYS_401 (its report could not be
 * parsed), and the results of firmware updates; the registry SYS_107 and SYS_402 (a bootstrap succeeded or failed);
 * campaigns the result of a device in an update campaign (SYS_100 to SYS_112); gateway, registry, device-proxy,
 * dispatcher and campaigns write the actions of operators (`operatorActions`), the gateway also the requests that it refused (SYS_410, SYS_411).
 */
export const DeviceEvents = topic<DeviceEventReported>({
  name: 'device.events',
  kind: 'fact',
  producers: ['gateway', 'registry', 'device-proxy', 'dispatcher', 'campaigns', 'external'],
  consumers: ['event-log'],
  keyIs: 'device id, or account id where there is no device',
  key: (v) => v.deviceId ?? v.accountId,
  description:
    'Something happened to a device or in an account that belongs in the event log. The device-proxy adds refused credentials, unreadable reports and results of firmware updates; the registry how bootstraps ended; campaigns what became of the devices of update campaigns; gateway, registry, device-proxy, dispatcher and campaigns what operators did; the gateway requests that were refused.',
  schema: DeviceEventSchema,
});
