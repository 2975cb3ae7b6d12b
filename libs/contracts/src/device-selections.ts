import { z } from 'zod';
import { endpointName, id, instant } from './fields.js';
import { topic } from './topic.js';

export const selectionPageMax = 500;

export const DeviceSelectionSchema = z
  .object({
    selectionId: id,
    accountId: id,
    groupId: id.optional().describe('Members of this device group only'),
    filter: z.string().max(4000).optional().describe('As `filter` of GET /v3/devices; absent: all devices'),
    page: z.number().int().nonnegative().describe('Counts the pages of the selection'),
    after: id.optional().describe('The last device of the page before'),
    until: id.describe('Devices that are created later, and so have a greater id, are not selected'),
    limit: z.number().int().positive().max(selectionPageMax),
    requestedAt: instant,
  })
  .meta({ id: 'DeviceSelectionRequested' });

export type DeviceSelectionRequested = z.infer<typeof DeviceSelectionSchema>;

/** Asks the directory for one page of the devices of a group or a filter. The answer is on device.selection-pages. */
export const DeviceSelections = topic<DeviceSelectionRequested>({
  name: 'device.selections',
  kind: 'fact',
  producers: ['campaigns'],
  consumers: ['registry'],
  keyIs: 'selection id',
  key: (v) => v.selectionId,
  description: 'A campaign asks for a page of the devices that a group and a filter select.',
  schema: DeviceSelectionSchema,
});

export const SelectedDeviceSchema = z.object({
  deviceId: id,
  endpointName: endpointName.optional(),
  lifecycleStatus: z.enum(['enabled', 'blocked']),
  isRegistered: z.boolean().describe('As far as the directory knows'),
});

export const DeviceSelectionPageSchema = z
  .object({
    selectionId: id,
    accountId: id,
    page: z.number().int().nonnegative(),
    devices: z.array(SelectedDeviceSchema).max(selectionPageMax),
    hasMore: z.boolean().describe('The next page is answered when it is requested, `after` the last of these devices'),
    refusal: z
      .object({ field: z.enum(['filter', 'group_id']), message: z.string().max(500) })
      .optional()
      .describe('The selection cannot be made'),
    selectedAt: instant,
  })
  .meta({ id: 'DeviceSelectionAnswered' });

export type DeviceSelectionAnswered = z.infer<typeof DeviceSelectionPageSchema>;
export type SelectedDevice = z.infer<typeof SelectedDeviceSchema>;

/** Answers to selection requests. A request that is read twice is answered twice, so the devices of a page may repeat. */
export const DeviceSelectionPages = topic<DeviceSelectionAnswered>({
  name: 'device.selection-pages',
  kind: 'fact',
  producers: ['registry'],
  consumers: ['campaigns'],
  keyIs: 'selection id',
  key: (v) => v.selectionId,
  description: 'A page of the devices that a group and a filter select, or why they cannot be selected.',
  schema: DeviceSelectionPageSchema,
});
