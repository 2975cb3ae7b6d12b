/** I4: events that arrived twice, and the faults that explain them. */

import type { Channel, Delivery, Fault, History } from './history.ts';

/**
 * Some time passes between the answer of a receiver and the service's reaction to it, and between the end of a fault and the
 * end of its effects.
 */
const beforeMs = 3_000;
const usualAfterMs = 6_000;

const endOf = ({ toMs, afterMs = usualAfterMs }: Fault) => toMs + afterMs;

interface Duplicate {
  uid: string;
  first: Delivery;
  again: Delivery;
}

/** @param deliveries of one channel, in the order of time */
const duplicatesIn = (deliveries: readonly Delivery[]): Duplicate[] => {
  const seen = new Map<string, Delivery>();
  const found: Duplicate[] = [];
  for (const again of deliveries) {
    if (again.answer !== 'accepted') continue;
    for (const uid of again.uids) {
      const first = seen.get(uid);
      if (first) found.push({ uid, first, again });
      seen.set(uid, again);
    }
  }
  return found;
};

/**
 * A batch may be sent again when a fault kept its confirmation from being written, so it must have been accepted around that
 * fault. A fault excuses a number of batches per channel; a Redis that lost data excuses everything before it.
 */
export const judgeDuplicates = (history: History, { kind }: Channel, deliveries: readonly Delivery[]) => {
  const found = duplicatesIn(deliveries);
  const left = history.faults.map((fault) => ({ fault, batches: fault.excuse[kind] }));
  left.sort((a, b) => a.fault.toMs - b.fault.toMs);
  const excused = new Set<Delivery>();
  const isExcused = ({ uid, first }: Duplicate) => {
    if (excused.has(first) || history.twiceInKafka.has(uid)) return true;
    if (history.faults.some((fault) => fault.forgets && first.atMs <= endOf(fault))) return true;
    const excuse = left.find(
      ({ fault, batches }) => batches > 0 && first.atMs >= fault.fromMs - beforeMs && first.atMs <= endOf(fault),
    );
    if (!excuse) return false;
    excuse.batches--;
    excused.add(first);
    return true;
  };
  return { duplicates: found.length, unexplained: found.filter((duplicate) => !isExcused(duplicate)) };
};
