import { z } from 'zod';
import { AsyncResponseItemSchema } from './async-response.js';
import { base64, id, instant } from './fields.js';
import { topic } from './topic.js';

/**
 * Which call the command came from: POST /v2/device-requests, /v2/endpoints/…, or PUT /v2/subscriptions/…; `campaign`: from a
 * campaign, not from a call.
 */
export const commandKinds = ['device-request', 'endpoint', 'subscription', 'campaign'] as const;

export const commandFields = {
  commandId: id,
  deviceId: id,
  accountId: id,
  keyId: id.describe('The key that sent it: its channel gets the answer. Of a campaign: the id of the campaign'),
  campaignId: id.optional().describe('The campaign that sent it: the answer goes to no channel'),
  asyncId: z.string().min(1).max(64),
  kind: z.enum(commandKinds),
  method: z.enum(['GET', 'PUT', 'POST', 'DELETE', 'FETCH', 'IPATCH']),
  path: z.string().min(1),
  query: z.array(z.string()).optional().describe('Attributes: those to write, untouched, or those of a subscription'),
  acceptedAt: instant,
};

export const DeviceCommandSchema = z
  .object({
    ...commandFields,
    contentType: z.string().optional(),
    payload: base64.optional(),
    expiresAt: instant,
  })
  .meta({ id: 'DeviceCommandAccepted' });

export type DeviceCommandAccepted = z.infer<typeof DeviceCommandSchema>;

/**
 * A command is in the durable queue of its device: from then on, a caller gets 202 for it. Its result follows on
 * device.command-results.
 */
export const DeviceCommands = topic<DeviceCommandAccepted>({
  name: 'device.commands',
  kind: 'fact',
  producers: ['device-proxy'],
  consumers: ['snapshot'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'A command was accepted and waits in the queue of its device.',
  schema: DeviceCommandSchema,
});

export const DeviceCommandResultSchema = z
  .object({
    item: AsyncResponseItemSchema,
    ...commandFields,
    endpointName: z.string().optional(),
    outcome: z.enum(['succeeded', 'failed', 'expired']),
    finishedAt: instant,
    answeredWithValue: z
      .literal(true)
      .optional()
      .describe('A subscription whose answer went ahead of its first value, in device.values: not sent again'),
    noResponse: z.literal(true).optional().describe('The sender wants no answer: it goes to no channel'),
    written: z
      .object({ payload: base64, contentType: z.string().optional() })
      .optional()
      .describe('For a write of a value: what was to be written'),
  })
  .meta({ id: 'DeviceCommandFinished' });

export type DeviceCommandFinished = z.infer<typeof DeviceCommandResultSchema>;

/**
 * A command ended: exactly one result per accepted command. It goes only to the channel of the key that sent the command, or to
 * the campaign that did.
 */
export const DeviceCommandResults = topic<DeviceCommandFinished>({
  name: 'device.command-results',
  kind: 'fact',
  producers: ['device-proxy'],
  consumers: ['snapshot', 'dispatcher', 'event-log', 'campaigns'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'A command succeeded, failed or expired.',
  schema: DeviceCommandResultSchema,
  delivery: (v) => ({
    category: 'async-responses',
    accountId: v.accountId,
    audience: v.answeredWithValue || v.noResponse || v.campaignId !== undefined ? [] : [v.keyId],
    endpointName: v.endpointName ?? '',
  }),
});
