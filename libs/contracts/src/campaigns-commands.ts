import { z } from 'zod';
import { base64, id, instant, resourcePath, sealed } from './fields.js';
import { topic } from './topic.js';

/** A value of a command without a ticket. Larger ones are packages. */
export const campaignPayloadBytesMax = 16_384;

/** As for commands of applications: 30 days. */
export const campaignExpirySecondsMax = 2_592_000;

export const CampaignCommandSchema = z
  .object({
    commandId: id.describe('Unique: a command with a known id is not accepted again'),
    campaignId: id,
    accountId: id,
    deviceId: id,
    action: z
      .enum(['execute', 'cancel'])
      .describe('execute: put it into the queue of the device. cancel: end it, if it has not been sent to the device'),
    method: z.enum(['GET', 'PUT', 'POST']).optional().describe('Of execute: read, write, and execute or create'),
    path: resourcePath.optional().describe('Of execute'),
    contentType: z.string().optional().describe('Of execute with a payload: media type; absent: text/plain'),
    payload: base64
      .max(Math.ceil(campaignPayloadBytesMax / 3) * 4)
      .optional()
      .describe('Of execute: at most 16 KiB'),
    sealedTicket: sealed
      .optional()
      .describe(
        'Of execute: the ticket of a download, encrypted with the ENCRYPTION_KEY of the installation. Without a payload, the package of the ticket is sent, block by block as opaque bytes; with one, the ticket is appended to it when it is sent',
      ),
    expirySeconds: z
      .number()
      .int()
      .positive()
      .max(campaignExpirySecondsMax)
      .optional()
      .describe('Of execute: how long after `issuedAt` the command may wait for the device'),
    issuedAt: instant,
  })
  .superRefine(({ action, method, path, expirySeconds }, context) => {
    const require = (name: string, value: unknown): void => {
      if (value === undefined) context.addIssue({ code: 'custom', path: [name], message: 'execute needs it' });
    };
    if (action === 'execute') {
      require('method', method);
      require('path', path);
      require('expirySeconds', expirySeconds);
    }
  })
  .meta({ id: 'CampaignCommandIssued' });

export type CampaignCommandIssued = z.infer<typeof CampaignCommandSchema>;

/**
 * What a campaign wants of a device. The device-proxy puts it into the queue of the device like a command of an
 * application, but without a key: its result goes to no channel, and has the id of the campaign as its `keyId`.
 */
export const CampaignsCommands = topic<CampaignCommandIssued>({
  name: 'campaigns.commands',
  kind: 'fact',
  producers: ['campaigns'],
  consumers: ['device-proxy'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description:
    'A campaign reads, writes or executes a resource of a device, creates an instance, or cancels a command.',
  schema: CampaignCommandSchema,
});
