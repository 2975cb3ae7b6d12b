import type { Category } from '@lanyard/contracts';
import { ChunkBuilder, readHead, sliceEvents } from './chunk.js';

/** Of a queue, at once. */
const eventsMax = 2_000;
const bytesMax = 512 * 1024;

/** Fewer changes of the category among them are not worth a write. */
const changesMin = 8;

/** An event may be dropped this much too late for its age, because a younger one stands before it. */
const spanMaxMs = 60_000;

/** What is put into another order at once, as `oldest.lua` takes it. */
export const regroupLimits = [eventsMax, bytesMax, changesMin, spanMaxMs] as const;

const quote = 0x22;
const backslash = 0x5c;
const epStart = Buffer.from('{"ep":');

/** The device of an event, as its bytes name it; of a command's result ''. */
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
 * Puts the events of these chunks into another order, so that fewer messages of one category each hold them: every event
 * joins the first group of its category that is not before an earlier event of its device, or an earlier result of a command:
 * the order of each device stays, and no value comes before the answer to its subscription.
 *
 * undefined: the messages would not become fewer by half.
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
