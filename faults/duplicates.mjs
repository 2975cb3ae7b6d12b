/** I4: what came twice, and which fault explains it. */

/**
 * Some time passes between what a receiver answers and what the service does with it, and between the end of a fault
 * and the end of what it did.
 */
const beforeMs = 3_000;
const usualAfterMs = 6_000;

/** @param {import('./history.mjs').Fault} fault */
const endOf = ({ toMs, afterMs = usualAfterMs }) => toMs + afterMs;

/**
 * @typedef {import('./history.mjs').History} History
 * @typedef {import('./history.mjs').Delivery} Delivery
 * @typedef {import('./history.mjs').Channel} Channel
 * @typedef {{ uid: string, first: Delivery, again: Delivery }} Duplicate
 */

/** @param {readonly Delivery[]} deliveries of one channel, in the order of time @returns {Duplicate[]} */
const duplicatesIn = (deliveries) => {
  /** @type {Map<string, Delivery>} */
  const seen = new Map();
  /** @type {Duplicate[]} */
  const found = [];
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
 * A batch may come again when a fault kept its confirmation from being written: so it was accepted around that fault.
 * A fault excuses so many batches per channel, but a Redis that forgot excuses everything before it.
 * @param {History} history @param {Channel} channel @param {readonly Delivery[]} deliveries
 */
export const judgeDuplicates = (history, { kind }, deliveries) => {
  const found = duplicatesIn(deliveries);
  const left = history.faults.map((fault) => ({ fault, batches: fault.excuse[kind] }));
  left.sort((a, b) => a.fault.toMs - b.fault.toMs);
  /** @type {Set<Delivery>} */
  const excused = new Set();
  const isExcused = (/** @type {Duplicate} */ { uid, first }) => {
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
