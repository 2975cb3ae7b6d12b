import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

export const ChannelDropSchema = z
  .object({
    keyId: id,
    accountId: id,
    kind: z.enum(['callback', 'websocket', 'pull']),
    channelCreatedAt: instant.describe('Distinguishes successive channels of the key'),
    reason: z
      .enum(['size', 'age', 'failed', 'removed'])
      .describe('Queue full, too old, retries used up (free accounts), or in the queue when the channel ended'),
    count: z.int().positive().describe('Events removed since the last such fact'),
    total: z.int().positive().describe('Events removed for this reason since the channel was made'),
    ending: z.string().optional().describe('On removed: why the channel ended, in words'),
    occurredAt: instant,
  })
  .meta({ id: 'ChannelEventsDropped' });

export type ChannelEventsDropped = z.infer<typeof ChannelDropSchema>;

/** What queues of channels lost (spec §8): every event that was removed undelivered is counted in exactly one message. */
export const ChannelsDrops = topic<ChannelEventsDropped>({
  name: 'channels.drops',
  kind: 'fact',
  producers: ['dispatcher'],
  consumers: ['event-log', 'snapshot'],
  keyIs: 'key id',
  key: (v) => v.keyId,
  description: 'Events were removed from the queue of a notification channel undelivered.',
  schema: ChannelDropSchema,
});
