import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

export const ChannelStateSchema = z
  .object({
    keyId: id,
    accountId: id,
    kind: z.enum(['callback', 'websocket', 'pull']),
    status: z.enum(['created', 'connected', 'disconnected', 'expired', 'deleted']),
    reason: z.string().optional().describe('Which rule ended it, in words'),
    changedAt: instant,
  })
  .meta({ id: 'ChannelChanged' });

export type ChannelChanged = z.infer<typeof ChannelStateSchema>;

/** The notification channel of a key as it is now. */
export const ChannelsState = topic<ChannelChanged>({
  name: 'channels.state',
  kind: 'state',
  producers: ['dispatcher'],
  consumers: [],
  keyIs: 'key id',
  key: (v) => v.keyId,
  description: 'A notification channel was created, connected, disconnected, expired or deleted.',
  schema: ChannelStateSchema,
});
