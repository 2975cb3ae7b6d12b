import { formatTimestamp } from '@lanyard/service';
import type { ChannelKind } from './channel.entity.js';
import type { Shown } from './channels.js';
import type { Serialization } from './serialization.js';
import type { StopReason } from './standing.js';

export interface QueueView {
  /** Events waiting; -1 when not known. */
  queue_size: number;
  /** What they count against the limit of 50 MB. */
  queue_bytes: number;
  /** When the oldest of them was queued. */
  oldest: string | null;
  /** Events removed undelivered since the channel was made, by reason. */
  dropped: { size: number; age: number; failed: number };
}

export interface CallbackView extends QueueView {
  url: string;
  headers: Record<string, string>;
  serialization: Serialization;
  /** Failed deliveries in a row, and since when. */
  failures: number;
  failing_since: string | null;
  /** Why nothing is sent, although there may be events. */
  stopped: StopReason | null;
}

export interface WebSocketView extends QueueView {
  status: 'connected' | 'disconnected';
  serialization: Serialization;
}

/** Values of headers are credentials: none is shown. */
const mask = '****';

const timestamp = (ms: number | undefined): string | null => (ms === undefined ? null : formatTimestamp(ms));

const queueView = ({ queue }: Shown): QueueView => ({
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

export const deliveryMechanism: Record<ChannelKind, string> = {
  callback: 'CALLBACK',
  websocket: 'WEB_SOCKET',
  pull: 'LONG_POLLING',
};
