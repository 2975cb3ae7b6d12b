import { formatTimestamp } from '@lanyard/service';
import { z } from 'zod';
import type { ChannelKind } from '../channel-kind.js';
import { lastMessagesMax } from '../delivery/last-messages.js';
import { queueBytesMax } from '../limits.js';
import type { Inspected } from './account-channels.js';
import type { Shown } from './channels.js';
import { SerializationViewSchema } from '../db/serialization.js';

const queue = {
  queue_size: z.number().int().describe('Number of queued events; -1 if unknown'),
  queue_bytes: z.number().int().describe('Size of the queued events, limited to 50 MB; -1 if unknown'),
  oldest: z.string().nullable().describe('When the oldest queued event was queued'),
  dropped: z
    .object({ size: z.number().int(), age: z.number().int(), failed: z.number().int() })
    .describe('Events dropped undelivered since the channel was created, by reason'),
};

export type QueueView = z.infer<z.ZodObject<typeof queue>>;

export const CallbackView = z
  .object({
    url: z.string(),
    headers: z.record(z.string(), z.string()).describe('Header values are masked'),
    serialization: SerializationViewSchema,
    ...queue,
    failures: z.number().int().describe('Number of consecutive failed deliveries'),
    failing_since: z.string().nullable(),
    stopped: z.enum(['key_reset', 'key_revoked']).nullable().describe('Why delivery is paused'),
  })
  .meta({ id: 'CallbackChannel' });
export type CallbackView = z.infer<typeof CallbackView>;

export const WebSocketView = z
  .object({ status: z.enum(['connected', 'disconnected']), serialization: SerializationViewSchema, ...queue })
  .meta({ id: 'WebSocketChannel' });
export type WebSocketView = z.infer<typeof WebSocketView>;

export const PullView = z.object({ serialization: SerializationViewSchema, ...queue }).meta({ id: 'PullChannel' });
export type PullView = z.infer<typeof PullView>;

/** Values of headers are credentials: none is shown. */
export const mask = '****';

export const timestamp = (ms: number | undefined): string | null => (ms === undefined ? null : formatTimestamp(ms));

export const queueView = ({ queue }: Pick<Shown, 'queue'>): QueueView => ({
  queue_size: queue?.events ?? -1,
  queue_bytes: queue?.bytes ?? -1,
  oldest: timestamp(queue?.oldestAtMs),
  dropped: queue?.dropped ?? { size: 0, age: 0, failed: 0 },
});

export const callbackView = (shown: Shown): CallbackView => ({
  url: shown.target?.url ?? '',
  headers: Object.fromEntries(Object.keys(shown.target?.headers ?? {}).map((name) => [name, mask])),
  serialization: shown.channel.serialization,
  ...queueView(shown),
  failures: shown.queue?.failuresInRow ?? 0,
  failing_since: timestamp(shown.queue?.failingSinceMs),
  stopped: shown.channel.stopped,
});

export const webSocketView = (shown: Shown): WebSocketView => ({
  status: shown.queue?.held ? 'connected' : 'disconnected',
  serialization: shown.channel.serialization,
  ...queueView(shown),
});

export const pullView = (shown: Shown): PullView => ({
  serialization: shown.channel.serialization,
  ...queueView(shown),
});

const mechanisms = ['CALLBACK', 'WEB_SOCKET', 'LONG_POLLING'] as const;

export const ChannelKindView = z.object({ delivery_mechanism: z.enum(mechanisms) }).meta({ id: 'ChannelKind' });
export type ChannelKindView = z.infer<typeof ChannelKindView>;

export const deliveryMechanism: Record<ChannelKind, (typeof mechanisms)[number]> = {
  callback: 'CALLBACK',
  websocket: 'WEB_SOCKET',
  pull: 'LONG_POLLING',
};

export const AccountChannelView = z
  .object({
    object: z.literal('channel'),
    id: z.string().describe('Id of the key that owns the channel'),
    delivery_mechanism: z.enum(mechanisms),
    receiver: z
      .string()
      .nullable()
      .describe(
        'Scheme, host and port of a callback; null for other channels, and if its URL cannot be decrypted. The rest of its URL may contain credentials',
      ),
    connected: z.boolean().nullable().describe('Whether its WebSocket or poll is open; null for a callback'),
    connected_from: z
      .string()
      .nullable()
      .describe('Address of the client whose WebSocket or poll is open; null if none is or it is unknown'),
    ...queue,
    queue_bytes_max: z
      .number()
      .int()
      .describe('Maximum size of the queued events; beyond it, the oldest events are dropped'),
    failures: z.number().int().describe('Number of consecutive failed deliveries'),
    problem: z
      .string()
      .nullable()
      .describe('Why the channel does not deliver and how to fix it, in sentences; null: it delivers'),
    problem_since: z.string().nullable(),
    loses_events_at: z
      .string()
      .nullable()
      .describe(
        'For a channel with a problem: when it will lose events if nothing is delivered until then. Its queue is then full at the present rate, its oldest event is 24 h old, or the channel is removed because its client was absent, or its callback failed or was stopped, for too long',
      ),
    created_at: z.string(),
  })
  .meta({ id: 'AccountChannel' });
export type AccountChannelView = z.infer<typeof AccountChannelView>;

export const accountChannelView = (inspected: Inspected): AccountChannelView => {
  const { channel, receiver, queue, failure, lossAtMs } = inspected;
  return {
    object: 'channel',
    id: channel.keyId,
    delivery_mechanism: deliveryMechanism[channel.kind],
    receiver,
    connected: channel.kind === 'callback' ? null : (queue?.held ?? false),
    connected_from: channel.kind === 'callback' ? null : (queue?.connectedFrom ?? null),
    ...queueView(inspected),
    queue_bytes_max: queueBytesMax,
    failures: queue?.failuresInRow ?? 0,
    problem: failure?.text ?? null,
    problem_since: timestamp(failure?.sinceMs),
    loses_events_at: timestamp(lossAtMs),
    created_at: formatTimestamp(channel.createdAt),
  };
};

export const ChannelTestView = z
  .object({
    object: z.literal('channel-test'),
    delivered: z.boolean(),
    reason: z.string().nullable().describe('Why the URL did not accept the message; null: it answered with 200 or 204'),
    tested_at: z.string(),
  })
  .meta({ id: 'ChannelTest' });
export type ChannelTestView = z.infer<typeof ChannelTestView>;

export const ChannelMessages = z
  .object({
    object: z.literal('channel-messages'),
    data: z
      .array(
        z
          .object({
            sent_at: z.string(),
            events: z.number().int().describe('How many events it contained'),
            bytes: z.number().int(),
            outcome: z
              .string()
              .describe(
                '`accepted`: the callback answered with 200 or 204; `sent`: on a WebSocket, or to a poll; otherwise why the callback did not accept it',
              ),
            excerpt: z.string().describe('The beginning of the message'),
          })
          .meta({ id: 'ChannelMessage' }),
      )
      .max(lastMessagesMax)
      .describe('Newest first'),
  })
  .meta({ id: 'ChannelMessages' });
export type ChannelMessages = z.infer<typeof ChannelMessages>;
