import { formatTimestamp } from '@lanyard/service';
import { z } from 'zod';
import type { ChannelKind } from '../channel-kind.js';
import type { Shown } from './channels.js';
import { SerializationViewSchema } from '../db/serialization.js';

const queue = {
  queue_size: z.number().int().describe('Number of queued events; -1 if unknown'),
  queue_bytes: z.number().int().describe('Size of the queued events, limited to 50 MB'),
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
