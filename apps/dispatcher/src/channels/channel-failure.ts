import type { Channel } from '../db/channel.entity.js';
import { eventLifeMs, queueBytesMax } from '../limits.js';
import type { QueueState } from '../queue/channel-registry.js';

/** An application that is away for less is restarting. */
const absentAfterMs = 300_000;

const stopped = {
  key_reset: 'Its key was reset, so the callback must be registered again.',
  key_revoked: 'Its key no longer has the permission to receive notifications.',
} as const;

const queued = (events: number): string => `${events} ${events === 1 ? 'event waits' : 'events wait'} in its queue`;

/** Since when and why a channel does not deliver; undefined: it does. */
export const failureOf = (
  channel: Pick<Channel, 'stopped' | 'stoppedAt' | 'kind'>,
  queue: QueueState | undefined,
  nowMs: number,
): { sinceMs: number; text: string } | undefined => {
  if (channel.stopped)
    return {
      sinceMs: channel.stoppedAt?.getTime() ?? nowMs,
      text: `The callback is stopped. ${stopped[channel.stopped]} ${queued(queue?.events ?? 0)}.`,
    };
  if (queue?.failingSinceMs !== undefined)
    return {
      sinceMs: queue.failingSinceMs,
      text: `The callback has failed ${queue.failuresInRow} ${queue.failuresInRow === 1 ? 'time' : 'times'} in a row; ${queued(queue.events)}. It is retried for 24 hours.`,
    };
  const isAbsent = channel.kind !== 'callback' && queue?.held === false && queue.events > 0;
  if (!isAbsent || queue.oldestAtMs === undefined || queue.oldestAtMs > nowMs - absentAfterMs) return undefined;
  const missing = channel.kind === 'websocket' ? 'No application has opened its WebSocket' : 'No application polls';
  return { sinceMs: queue.oldestAtMs, text: `${missing}; ${queued(queue.events)}. Events are kept for 24 hours.` };
};

/** A rate over a shorter time would mean nothing. */
const observedMinMs = 60_000;

/**
 * When events will be lost if none is delivered until then: the queue is full, at the rate at which the events came that are
 * in it, or its oldest event has reached the limit of age. undefined: none waits.
 */
export const lossAtMs = (queue: QueueState | undefined, nowMs: number): number | undefined => {
  if (queue?.oldestAtMs === undefined) return undefined;
  const tooOldAt = queue.oldestAtMs + eventLifeMs;
  const observedMs = nowMs - queue.oldestAtMs;
  if (observedMs < observedMinMs || queue.bytes <= 0) return tooOldAt;
  const fullAt = nowMs + ((queueBytesMax - queue.bytes) * observedMs) / queue.bytes;
  return Math.round(Math.min(tooOldAt, Math.max(nowMs, fullAt)));
};
