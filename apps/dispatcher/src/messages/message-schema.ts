import { AsyncResponseItemSchema, NotificationItemSchema, RegistrationItemSchema } from '@lanyard/contracts';
import { z } from 'zod';

/** What the options of the channel add to an item (spec §2.10). */
const added = {
  uid: z.string().optional().describe('With include_uid: the same on every delivery of the item'),
  timestamp: z
    .number()
    .int()
    .optional()
    .describe(
      'With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued',
    ),
  'original-ep': z.string().optional().describe('With include_original_ep: the endpoint name'),
};

const ep = z.string().describe('Device id, or the endpoint name with use_endpoint_name');

const registrations = z
  .array(
    z.object({
      ...RegistrationItemSchema.shape,
      ep,
      ...added,
      'original-ep': z.string().optional().describe('The endpoint name'),
    }),
  )
  .optional();

const ended = z
  .array(z.union([z.string(), z.object({ ep, ...added })]))
  .optional()
  .describe('Ids, or objects with deregistrations_as_object');

/** A message on a channel (spec §6.1): one category in each message. */
export const NotificationMessageSchema = z
  .object({
    notifications: z.array(z.object({ ...NotificationItemSchema.shape, ep, ...added })).optional(),
    registrations,
    'reg-updates': registrations,
    'de-registrations': ended,
    'registrations-expired': ended,
    'async-responses': z.array(z.object({ ...AsyncResponseItemSchema.shape, ...added })).optional(),
  })
  .meta({ id: 'NotificationMessage' });
