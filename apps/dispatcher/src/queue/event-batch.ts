import type { Category } from '@lanyard/contracts';
import { NotificationMessage } from '../messages/notification-message.js';
import { chunkCost, eventBytes, readHead, sliceEvents } from './chunk.js';

/**
 * Where a reader stands in a queue. `index` and `skip` hold only while the queue's head is `head`; a reader that does
 * not know passes -1, and they are found by counting.
 */
export interface Cursor {
  /** Number of the next event, counted from the channel's first. */
  next: number;
  head: number;
  /** Index in the list of the chunk that holds `next`. */
  index: number;
  /** Events of that chunk before `next`. */
  skip: number;
}

/** How far a batch goes, and what disappears when it is confirmed. */
export interface Extent {
  from: number;
  /** The number after its last event. */
  to: number;
  /** Chunks that the batch finishes, and their cost. */
  chunks: number;
  cost: number;
  /** Events that go from the chunk after those. */
  skip: number;
}

export interface EventBatch extends Extent {
  category: Category;
  count: number;
  /** The batch ends because of a limit or of a change of category: more events may be sent at once. */
  isCut: boolean;
  /** For the customer. */
  message: NotificationMessage;
}

export interface BatchLimits {
  eventsMax: number;
  bytesMax: number;
}

/** How many events of the chunk, from `first` on, fit into the limits that are left. At least one when `mustTake`. */
const fitting = (chunk: Buffer, first: number, count: number, left: BatchLimits, mustTake: boolean): number => {
  const upTo = Math.min(count - first, left.eventsMax);
  if (chunk.length <= left.bytesMax) return upTo;
  let bytes = 0;
  for (let n = 0; n < upTo; n++) {
    bytes += eventBytes(chunk, first + n) + 1;
    if (bytes > left.bytesMax && !(n === 0 && mustTake)) return n;
  }
  return upTo;
};

/** The longest run of events of one category from a chunk on, by default the first one, within the limits. */
export const cutBatch = (
  chunks: readonly Buffer[],
  from: number,
  firstSkip: number,
  limits: BatchLimits,
  first = 0,
): EventBatch => {
  const { category } = readHead(chunks[first] as Buffer);
  const left = { ...limits };
  const slices: Buffer[] = [];
  const extent: Extent = { from, to: from, chunks: 0, cost: 0, skip: firstSkip };
  for (let n = first; n < chunks.length; n++) {
    const chunk = chunks[n] as Buffer;
    const head = readHead(chunk);
    if (head.category !== category) break;
    const count = fitting(chunk, extent.skip, head.count, left, slices.length === 0);
    if (count === 0) break;
    const slice = sliceEvents(chunk, extent.skip, count);
    slices.push(slice);
    left.eventsMax -= count;
    left.bytesMax -= slice.length + 1;
    extent.to += count;
    extent.skip += count;
    if (extent.skip < head.count) break;
    extent.chunks++;
    extent.cost += chunkCost(chunk);
    extent.skip = 0;
    if (left.eventsMax === 0) break;
  }
  const { to, chunks: finished, cost, skip } = extent;
  const isCut = first + finished < chunks.length || left.eventsMax === 0;
  const message = new NotificationMessage(category, slices);
  return { from, to, chunks: finished, cost, skip, category, count: to - from, isCut, message };
};

/** The batch that `cutBatch` returns, and those behind it as long as all together have at most `aheadBytesMax` bytes. */
export const cutBatches = (
  chunks: readonly Buffer[],
  from: number,
  firstSkip: number,
  limits: BatchLimits,
  aheadBytesMax: number,
): [EventBatch, ...EventBatch[]] => {
  const first = cutBatch(chunks, from, firstSkip, limits);
  const batches: [EventBatch, ...EventBatch[]] = [first];
  let [last, bytes, next] = [first, first.message.bytes, first.chunks];
  while (next < chunks.length && bytes < aheadBytesMax) {
    last = cutBatch(chunks, last.to, last.skip, limits, next);
    bytes += last.message.bytes;
    if (bytes > aheadBytesMax) break;
    batches.push(last);
    next += last.chunks;
  }
  return batches;
};

/** The extent of a batch, without its events: they need not stay in memory until the batch is confirmed. */
export const extentOf = ({ from, to, chunks, cost, skip }: Extent): Extent => ({ from, to, chunks, cost, skip });

/** How many of these batches, which are in order, are contiguous: at a gap, a limit has removed unsent events. */
export const runLength = (extents: readonly Extent[]): number => {
  const gap = extents.findIndex(({ from }, n) => n > 0 && extents[n - 1]?.to !== from);
  return gap < 0 ? extents.length : gap;
};

/** Several batches that follow each other, as one. */
export const joinExtents = (extents: readonly Extent[]): Extent =>
  extents.reduce((all, next) => ({
    from: all.from,
    to: next.to,
    chunks: all.chunks + next.chunks,
    cost: all.cost + next.cost,
    skip: next.skip,
  }));

export const cursorAfter = (cursor: Cursor, batch: Extent): Cursor => ({
  next: batch.to,
  head: cursor.head,
  index: cursor.index + batch.chunks,
  skip: batch.skip,
});

/**
 * The same position once `confirmed` has left the list. If `index` was counted after a limit had removed part of
 * `confirmed`, the number of its chunks says nothing.
 */
export const cursorConfirmed = (cursor: Cursor, confirmed: Extent): Cursor =>
  cursor.head === confirmed.from
    ? { ...cursor, head: confirmed.to, index: cursor.index - confirmed.chunks }
    : { ...cursor, head: -1 };
