import type { Channel } from '../db/channel.entity.js';
import {
  eventLifeMs,
  failedDeliveryMaxMs,
  queueBytesMax,
  stoppedMaxMs,
  withoutPollMaxMs,
  withoutSocketMaxMs,
} from '../limits.js';
import type { QueueState } from '../queue/channel-registry.js';

/** An application that is away for less than this is considered to be restarting. */
const absentAfterMs = 300_000;

const stopped = {
  key_reset: 'Its key was reset, so the callback must be registered again.',
  key_revoked: 'Its key no longer has the permission to receive notifications.',
} as const;

/** What is missing, and what becomes of the events meanwhile. */
const absence = {
  websocket: ['No application has opened its WebSocket', 'Events are kept for 24 hours.'],
  pull: [
    'No application polls',
    `The channel is removed with them ${withoutPollMaxMs / 60_000} minutes after the last poll.`,
  ],
} as const;

const queued = (events: number): string => `${events} ${events === 1 ? 'event waits' : 'events wait'} in its queue`;

/** What becomes of a batch that was not accepted. */
const retried = {
  commercial: 'It is retried for 24 hours.',
  free: 'A batch is retried once, then its events are dropped.',
} as const;

const callbackFailure = (tier: Channel['tier'], { failuresInRow, events }: QueueState): string =>
  failuresInRow === 0
    ? `The callback has failed, and the events were dropped after a retry; ${queued(events)}.`
    : `The callback has failed ${failuresInRow} ${failuresInRow === 1 ? 'time' : 'times'} in a row; ${queued(events)}. ${retried[tier]}`;

/** Since when and why a channel does not deliver; undefined: it does. */
export const failureOf = (
  channel: Pick<Channel, 'stopped' | 'stoppedAt' | 'kind' | 'tier'>,
  queue: QueueState | undefined,
  nowMs: number,
): { sinceMs: number; text: string } | undefined => {
  if (channel.stopped)
    return {
      sinceMs: channel.stoppedAt?.getTime() ?? nowMs,
      text: `The callback is stopped. ${stopped[channel.stopped]} ${queued(queue?.events ?? 0)}.`,
    };
  if (queue?.failingSinceMs !== undefined)
    return { sinceMs: queue.failingSinceMs, text: callbackFailure(channel.tier, queue) };
  const isAbsent = channel.kind !== 'callback' && queue?.held === false && queue.events > 0;
  if (!isAbsent || queue.oldestAtMs === undefined || queue.oldestAtMs > nowMs - absentAfterMs) return undefined;
  const [missing, kept] = absence[channel.kind === 'pull' ? 'pull' : 'websocket'];
  return { sinceMs: queue.oldestAtMs, text: `${missing}; ${queued(queue.events)}. ${kept}` };
};

/** A rate measured over a shorter time is meaningless. */
const observedMinMs = 60_000;

/** When a channel is removed, with its events, if nothing changes until then; undefined: it is served. */
const removalAtMs = (
  { kind, held, lastSeenAtMs, failuresInRow, failingSinceMs }: QueueState,
  stoppedAt: Date | null,
): number | undefined => {
  if (kind === 'callback') {
    if (stoppedAt) return stoppedAt.getTime() + stoppedMaxMs;
    return failuresInRow > 0 && failingSinceMs !== undefined ? failingSinceMs + failedDeliveryMaxMs : undefined;
  }
  if (held || lastSeenAtMs === undefined) return undefined;
  return lastSeenAtMs + (kind === 'pull' ? withoutPollMaxMs : withoutSocketMaxMs);
};

/**
 * When events will be lost if none is delivered until then: the queue is full, if events arrive as fast as those in it
 * did, its oldest event has reached the limit of age, or the channel is removed. undefined: no event waits.
 * `stoppedAt`: since when the callback has been stopped.
 */
export const lossAtMs = (
  queue: QueueState | undefined,
  nowMs: number,
  stoppedAt: Date | null = null,
): number | undefined => {
  if (queue?.oldestAtMs === undefined) return undefined;
  const removedAt = Math.max(nowMs, removalAtMs(queue, stoppedAt) ?? Infinity);
  const goneAt = Math.min(queue.oldestAtMs + eventLifeMs, removedAt);
  const observedMs = nowMs - queue.oldestAtMs;
  if (observedMs < observedMinMs || queue.bytes <= 0) return goneAt;
  const fullAt = nowMs + ((queueBytesMax - queue.bytes) * observedMs) / queue.bytes;
  return Math.round(Math.min(goneAt, Math.max(nowMs, fullAt)));
};
