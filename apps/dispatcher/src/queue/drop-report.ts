import type { Closed, Dropped } from './channel-registry.js';

/** Why events were lost: by a limit of the queue, or with their channel. */
export type DropReason = keyof Dropped | 'removed';

/** Events that were lost since the last report, and in all. */
export interface Drop {
  reason: DropReason;
  count: number;
  total: number;
}

export const nothingDropped: Dropped = { size: 0, age: 0, failed: 0 };

const reasons = ['size', 'age', 'failed'] as const satisfies readonly (keyof Dropped)[];

/**
 * The losses since the previous report, and the totals reported then. An event that arrived after all is subtracted from a
 * count, not always from the count it was in: a count below its reported value lowers the others, so that their sum is
 * right.
 */
export const newDrops = (reported: Dropped, now: Dropped): { drops: Drop[]; reported: Dropped } => {
  let excess = reasons.reduce((sum, reason) => sum + Math.max(0, reported[reason] - now[reason]), 0);
  const next = { ...reported };
  const drops: Drop[] = [];
  for (const reason of reasons) {
    const grown = Math.max(0, now[reason] - reported[reason]);
    const count = Math.max(0, grown - excess);
    excess = Math.max(0, excess - grown);
    if (count === 0) continue;
    next[reason] += count;
    drops.push({ reason, count, total: next[reason] });
  }
  return { drops, reported: next };
};

/** What a channel that has ended lost since the last report, with what was in its queue. */
export const lastDrops = (reported: Dropped, { dropped, events }: Closed): Drop[] => {
  const { drops } = newDrops(reported, dropped);
  return events > 0 ? [...drops, { reason: 'removed', count: events, total: events }] : drops;
};
