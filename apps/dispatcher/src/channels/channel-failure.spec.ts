import { describe, expect, it } from '@jest/globals';
import type { QueueState } from '../queue/channel-registry.js';
import { failureOf, lossAtMs } from './channel-failure.js';

const now = Date.parse('2026-11-24T08:00:00Z');
const minuteMs = 60_000;

const queue = (state: Partial<QueueState>): QueueState => ({
  kind: 'callback',
  held: false,
  connectedFrom: undefined,
  events: 0,
  bytes: 0,
  oldestAtMs: undefined,
  dropped: { size: 0, age: 0, failed: 0 },
  failuresInRow: 0,
  failingSinceMs: undefined,
  lastSeenAtMs: undefined,
  ...state,
});
const callback = { kind: 'callback', stopped: null, stoppedAt: null, tier: 'commercial' } as const;
const websocket = { ...callback, kind: 'websocket' } as const;

describe('the failure of a channel', () => {
  it.each([
    ['a callback that delivers', callback, queue({ events: 3, oldestAtMs: now - 60 * minuteMs })],
    ['a connected WebSocket', websocket, queue({ held: true, events: 3, oldestAtMs: now - 60 * minuteMs })],
    ['a WebSocket whose application restarts', websocket, queue({ events: 3, oldestAtMs: now - minuteMs })],
    ['an absent application without events', websocket, queue({})],
    ['a channel that Redis does not know yet', callback, undefined],
  ])('%s has none', (_, channel, state) => expect(failureOf(channel, state, now)).toBeUndefined());

  it('is that its key was reset', () => {
    const stoppedAt = new Date(now - minuteMs);
    expect(failureOf({ ...callback, stopped: 'key_reset', stoppedAt }, queue({ events: 2 }), now)).toEqual({
      sinceMs: now - minuteMs,
      text: 'The callback is stopped. Its key was reset, so the callback must be registered again. 2 events wait in its queue.',
    });
  });

  it('is that deliveries fail', () => {
    expect(failureOf(callback, queue({ failuresInRow: 1, failingSinceMs: 7, events: 1 }), now)).toEqual({
      sinceMs: 7,
      text: 'The callback has failed 1 time in a row; 1 event waits in its queue. It is retried for 24 hours.',
    });
  });

  it('is, for a free account, that deliveries fail, or that events were dropped after that', () => {
    const free = { ...callback, tier: 'free' } as const;
    expect(failureOf(free, queue({ failuresInRow: 1, failingSinceMs: 7, events: 2 }), now)?.text).toBe(
      'The callback has failed 1 time in a row; 2 events wait in its queue. A batch is retried once, then its events are dropped.',
    );
    expect(failureOf(free, queue({ failuresInRow: 0, failingSinceMs: 7 }), now)?.text).toBe(
      'The callback has failed, and the events were dropped after a retry; 0 events wait in its queue.',
    );
  });

  it('is that no application takes its events', () => {
    const absent = queue({ events: 5, oldestAtMs: now - 6 * minuteMs });
    expect(failureOf(websocket, absent, now)).toEqual({
      sinceMs: now - 6 * minuteMs,
      text: 'No application has opened its WebSocket; 5 events wait in its queue. Events are kept for 24 hours.',
    });
    expect(failureOf({ ...websocket, kind: 'pull' }, absent, now)?.text).toBe(
      'No application polls; 5 events wait in its queue. The channel is removed with them 10 minutes after the last poll.',
    );
  });
});

describe('when events of a channel will be lost', () => {
  const hourMs = 60 * minuteMs;

  it('is when its queue is full, at the rate of the last events', () => {
    // 10 MB in an hour: the remaining 40 MB take four.
    const state = queue({ events: 9, bytes: 10_000_000, oldestAtMs: now - hourMs });
    expect(lossAtMs(state, now)).toBe(now + 4 * hourMs);
  });

  it('is when its oldest event is a day old, if that is earlier', () => {
    const state = queue({ events: 9, bytes: 1_000, oldestAtMs: now - 20 * hourMs });
    expect(lossAtMs(state, now)).toBe(now + 4 * hourMs);
    const young = queue({ events: 9, bytes: 49_000_000, oldestAtMs: now - 1_000 });
    expect(lossAtMs(young, now)).toBe(now - 1_000 + 24 * hourMs);
  });

  it.each([
    ['a pull channel 10 minutes after the last poll', 'pull', 10 * minuteMs],
    ['a WebSocket channel a day after its last socket', 'websocket', 24 * hourMs],
  ] as const)('is when its channel is removed: %s', (_, kind, absentMs) => {
    const lastSeenAtMs = now - 8 * minuteMs;
    const away = queue({ kind, events: 9, bytes: 1_000, oldestAtMs: now - 7 * minuteMs, lastSeenAtMs });
    expect(lossAtMs(away, now)).toBe(lastSeenAtMs + absentMs);
    // After an outage, the removal waits until clients can have come back.
    expect(lossAtMs({ ...away, lastSeenAtMs: now - absentMs - 1 }, now)).toBe(now);
    expect(lossAtMs({ ...away, held: true }, now)).toBe(now - 7 * minuteMs + 24 * hourMs);
  });

  it('is when its callback is removed: 24 hours after it was stopped, or failed for the first time', () => {
    const late = queue({ events: 9, bytes: 1_000, oldestAtMs: now - 2 * hourMs });
    expect(lossAtMs(late, now, new Date(now - 20 * hourMs))).toBe(now + 4 * hourMs);
    const failing = { ...late, failuresInRow: 1, failingSinceMs: now - 20 * hourMs };
    expect(lossAtMs(failing, now)).toBe(now + 4 * hourMs);
    // A free account: the batch was given up, and the next one is tried.
    expect(lossAtMs({ ...failing, failuresInRow: 0 }, now)).toBe(now + 22 * hourMs);
  });

  it('is now for a queue that is full, and never for an empty one', () => {
    expect(lossAtMs(queue({ events: 9, bytes: 50_000_001, oldestAtMs: now - hourMs }), now)).toBe(now);
    expect(lossAtMs(queue({}), now)).toBeUndefined();
    expect(lossAtMs(undefined, now)).toBeUndefined();
  });
});
