import { z } from 'zod';
import { LeftOut } from '../proxy/upstream-client.js';

const parts = ['registry', 'device-proxy', 'event-log', 'snapshot', 'dispatcher'] as const;

export const TimelineEntry = z
  .object({
    at: z.string().describe('ISO 8601 with microseconds'),
    service: z.enum(parts).describe('The service that recorded it'),
    what: z.string().describe('Machine-readable, for example command.accepted'),
    text: z.string().describe('Human-readable'),
    facts: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TimelineEntry' });

export const Explanation = z
  .object({
    object: z.literal('explanation'),
    subject: z.object({ type: z.enum(['command', 'device', 'event']), id: z.string() }),
    waits_for: z.string().describe('What must happen next, as a sentence'),
    timeline: z.array(TimelineEntry).describe('Oldest first'),
    limit: z.number().int(),
    has_more: z.boolean().describe('Older entries exist: repeat the request with `before` set to the first `at`'),
    left_out: LeftOut,
  })
  .meta({ id: 'Explanation' });

export type TimelineEntry = z.infer<typeof TimelineEntry>;
export type Explanation = z.infer<typeof Explanation>;

export const timelineLimit = { min: 1, max: 200, default: 50 } as const;

/** Oldest first; entries of the same moment keep their order. */
export const inOrder = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

/** The newest `limit` entries before a time, and whether older ones were cut off. */
export const newest = (
  entries: readonly TimelineEntry[],
  limit: number,
  before: string,
): { timeline: TimelineEntry[]; cut: boolean } => {
  const earlier = inOrder(entries.filter(({ at }) => at < before));
  const [first] = earlier.slice(-limit);
  // Entries of the same moment stay on one page, because `before` would skip the rest of them.
  const timeline = first ? earlier.filter(({ at }) => at >= first.at) : [];
  return { timeline, cut: timeline.length < earlier.length };
};
