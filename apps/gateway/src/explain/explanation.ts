import { formatTimestamp } from '@lanyard/service';
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

/**
 * The newest `limit` entries before a time, and whether older ones were cut off. `incompleteUpTo`: at this moment and
 * before, a service has more facts than it gave. The next page has all of that time, so its entries are left to it.
 */
export const newest = (
  entries: readonly TimelineEntry[],
  limit: number,
  before: string,
  incompleteUpTo = '',
): { timeline: TimelineEntry[]; cut: boolean } => {
  const earlier = inOrder(entries.filter(({ at }) => at < before));
  const complete = earlier.filter(({ at }) => at > incompleteUpTo);
  // Everything that a service gave may be of one moment: without it, no page would get past that moment.
  const known = complete.length > 0 ? complete : earlier.filter(({ at }) => at === incompleteUpTo);
  const [first] = known.slice(-limit);
  // Entries of the same moment stay on one page, because `before` would skip the rest of them.
  const timeline = first ? known.filter(({ at }) => at >= first.at) : [];
  return { timeline, cut: timeline.length < earlier.length };
};

/** The last time before this one. Both have six decimals. */
export const justBefore = (at: string): string => {
  const microseconds = Number(at.slice(-7, -1));
  if (microseconds > 0) return `${at.slice(0, -7)}${String(microseconds - 1).padStart(6, '0')}Z`;
  return formatTimestamp(Date.parse(at) - 1).replace('000Z', '999Z');
};
