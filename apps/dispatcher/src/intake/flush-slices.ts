import { eventOverheadBytes } from '../limits.js';
import type { IntakeBatch, IntakeEvent } from './intake-event.js';

/** Bytes that one flush appends to all channels together: an event counts once for each channel. */
export const flushBytesMax = 8_000_000;

const weightOf = ({ item }: IntakeEvent, members: ReadonlyMap<string, readonly string[]>): number => {
  const { audience, accountId } = item;
  const channels = audience === '*' ? (members.get(accountId)?.length ?? 0) : audience.length;
  return channels * (item.item.length + eventOverheadBytes);
};

/** Events [first, end) of a batch. The last slice also covers the offsets up to the end of the batch. */
const sliceOf = (batch: IntakeBatch, first: number, end: number): IntakeBatch => {
  const { topic, partition, lastOffset, events } = batch;
  if (first === 0 && end === events.length) return batch;
  const last = end === events.length ? lastOffset : (events[end - 1] as IntakeEvent).offset;
  return { topic, partition, lastOffset: last, events: events.slice(first, end) };
};

/**
 * Cuts what one flush would append into consecutive slices, each of which is within the bound, or holds one event that alone
 * exceeds it. Nearly always there is one slice, of the batches as they are. `members` are the channels of each account in
 * which every channel gets something.
 */
export const flushSlices = (
  batches: readonly IntakeBatch[],
  members: ReadonlyMap<string, readonly string[]>,
  bytesMax = flushBytesMax,
): IntakeBatch[][] => {
  let slice: IntakeBatch[] = [];
  const all = [slice];
  let bytes = 0;
  for (const batch of batches) {
    const { events } = batch;
    let first = 0;
    for (let n = 0; n < events.length; n++) {
      const weight = weightOf(events[n] as IntakeEvent, members);
      // Two events of one message stay together: a position cannot lie between them.
      const mayCut = events[n]?.offset !== events[n - 1]?.offset;
      if (mayCut && bytes > 0 && bytes + weight > bytesMax) {
        if (n > first) slice.push(sliceOf(batch, first, n));
        all.push((slice = []));
        bytes = 0;
        first = n;
      }
      bytes += weight;
    }
    slice.push(sliceOf(batch, first, events.length));
  }
  return all;
};
