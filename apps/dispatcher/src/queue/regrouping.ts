import type { Category } from '@lanyard/contracts';
import { ChunkBuilder, readHead, sliceEvents } from './chunk.js';

/** Limits of what is put into another order in one queue at once. */
const eventsMax = 2_000;
const bytesMax = 512 * 1024;

/** With fewer changes of the category among these events, a write is not worthwhile. */
const changesMin = 8;

/** An event may be dropped for its age this much too late, because a younger one is ahead of it. */
const spanMaxMs = 60_000;

/** What is put into another order at once, as `oldest.lua` takes it. */
export const regroupLimits = [eventsMax, bytesMax, changesMin, spanMaxMs] as const;

const quote = 0x22;
const backslash = 0x5c;
const epStart = Buffer.from('{"ep":');

/** The device of an event, as its bytes name it; '' for a command's result. */
const deviceOf = (event: Buffer): string => {
  const start = event[0] === quote ? 0 : epStart.length;
  if (start > 0 && !event.subarray(0, start).equals(epStart)) return '';
  let end = start + 1;
  while (end < event.length && event[end] !== quote) end += event[end] === backslash ? 2 : 1;
  return event.toString('latin1', start, end);
};

interface Group {
  category: Category;
  events: [event: Buffer, atMs: number][];
}

/**
 * Puts the events of these chunks into another order, so that they need fewer messages, each of which has one category. Every
 * event joins the first group of its category that is not before an earlier event of its device, or an earlier result of a
 * command. So the order of each device's events is kept, and no value comes before the answer to its subscription.
 *
 * undefined: this would save less than half of the messages.
 */
export const groupByCategory = (chunks: readonly Buffer[]): Buffer[] | undefined => {
  const groups: Group[] = [];
  const groupOf = new Map<string, number>();
  let changes = 0;
  let previous: Category | undefined;
  for (const chunk of chunks) {
    const { category, count, newestAtMs } = readHead(chunk);
    if (category !== previous) changes++;
    previous = category;
    for (let n = 0; n < count; n++) {
      const event = sliceEvents(chunk, n, 1);
      const device = deviceOf(event);
      let place = Math.max(groupOf.get(device) ?? 0, groupOf.get('') ?? 0);
      while (place < groups.length && groups[place]?.category !== category) place++;
      (groups[place] ??= { category, events: [] }).events.push([event, newestAtMs]);
      groupOf.set(device, place);
    }
  }
  if (changes === 0 || groups.length * 2 > changes) return undefined;
  const builder = new ChunkBuilder();
  for (const { category, events } of groups) for (const [event, atMs] of events) builder.add(category, event, atMs);
  return builder.finish();
};
