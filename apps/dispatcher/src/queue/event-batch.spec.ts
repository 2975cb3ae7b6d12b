import { describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import { cutBatch, cutBatches } from './event-batch.js';
import { ChunkBuilder, chunkCost, chunkEventsMax, readHead } from './chunk.js';

const chunksOf = (...events: [Category, string, number?][]): Buffer[] => chunksIn(events);

const chunksIn = (events: readonly [Category, string, number?][]): Buffer[] => {
  const builder = new ChunkBuilder();
  for (const [category, text, at = 1_000] of events) builder.add(category, Buffer.from(text), at);
  return builder.finish();
};

const values = (count: number, text = (n: number): string => String(n)): [Category, string][] =>
  Array.from({ length: count }, (_, n) => ['notifications', text(n)]);

const wide = { eventsMax: 20_000, bytesMax: 1_000_000 };

describe('chunks', () => {
  it('hold one category each, and the time of the youngest event', () => {
    const chunks = chunksOf(['notifications', '1', 5], ['notifications', '2', 9], ['registrations', '3', 7]);
    expect(chunks.map(readHead)).toEqual([
      { category: 'notifications', count: 2, newestAtMs: 9 },
      { category: 'registrations', count: 1, newestAtMs: 7 },
    ]);
  });

  it('close at 100 events, 8 kB, or five seconds', () => {
    expect(chunksOf(...values(250)).map((c) => readHead(c).count)).toEqual([chunkEventsMax, chunkEventsMax, 50]);
    expect(chunksOf(...values(3, () => 'x'.repeat(5_000)))).toHaveLength(3);
    expect(chunksOf(['notifications', '1', 0], ['notifications', '2', 5_001])).toHaveLength(2);
  });

  it('cost: bytes and the overhead of each event, so that 160,000 events of 100 bytes fit into 50 MB', () => {
    const cost = chunksIn(values(160_000, () => 'x'.repeat(100))).reduce((sum, chunk) => sum + chunkCost(chunk), 0);
    expect(cost).toBeLessThan(50_000_000);
    expect(cost).toBeGreaterThanOrEqual(160_000 * 164);
  });
});

describe('a batch', () => {
  it('takes everything of one category', () => {
    const chunks = chunksOf(...values(150), ['registrations', '"r"']);
    const batch = cutBatch(chunks, 10, 0, wide);
    expect(JSON.parse(batch.message.toBuffer().toString())).toEqual({
      notifications: Array.from({ length: 150 }, (_, n) => n),
    });
    expect(batch).toMatchObject({ category: 'notifications', from: 10, to: 160, chunks: 2, skip: 0, count: 150 });
    expect(batch.cost).toBe(chunkCost(chunks[0] as Buffer) + chunkCost(chunks[1] as Buffer));
  });

  it.each([1, 2, 99, 100, 101, 199, 200, 201, 250])('of at most %i events leaves off where the next begins', (max) => {
    const chunks = chunksOf(...values(250));
    const seen: number[] = [];
    let [index, skip, next] = [0, 0, 0];
    while (index < chunks.length) {
      const batch = cutBatch(chunks.slice(index), next, skip, { ...wide, eventsMax: max });
      const { notifications } = JSON.parse(batch.message.toBuffer().toString()) as { notifications: number[] };
      expect(notifications.length).toBe(Math.min(max, 250 - next));
      seen.push(...notifications);
      ({ to: next, skip } = batch);
      index += batch.chunks;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
  });

  it('keeps to the size of a body, but an event larger than that goes alone', () => {
    const chunks = chunksOf(...values(50, () => `"${'x'.repeat(98)}"`));
    expect(cutBatch(chunks, 0, 0, { ...wide, bytesMax: 1_000 }).count).toBe(9);
    expect(cutBatch(chunks, 0, 0, { ...wide, bytesMax: 10 }).count).toBe(1);
    expect(cutBatch(chunks, 9, 9, { ...wide, bytesMax: 1_000 })).toMatchObject({ to: 18, skip: 18, chunks: 0 });
  });

  it.each([
    ['the queue', wide, false],
    ['the number of events within a chunk', { ...wide, eventsMax: 149 }, true],
    ['the number of events behind a chunk', { ...wide, eventsMax: 150 }, true],
    ['the size of a body', { ...wide, bytesMax: 200 }, true],
  ])('says whether it was cut: by %s', (_, limits, isCut) => {
    expect(cutBatch(chunksOf(...values(150)), 0, 0, limits).isCut).toBe(isCut);
  });

  it('is cut by another category behind it', () => {
    expect(cutBatch(chunksOf(...values(3), ['registrations', '"r"']), 0, 0, wide).isCut).toBe(true);
  });
});

describe('batches that are read together', () => {
  const mixed = chunksOf(['registrations', '"r1"'], ['notifications', '1'], ['registrations', '"r2"'], ...values(150));

  it('follow each other', () => {
    const batches = cutBatches(mixed, 10, 0, wide, 100_000);
    expect(batches.map(({ category, from, to, chunks }) => [category, from, to, chunks])).toEqual([
      ['registrations', 10, 11, 1],
      ['notifications', 11, 12, 1],
      ['registrations', 12, 13, 1],
      ['notifications', 13, 163, 2],
    ]);
  });

  it('are together no larger than asked, but one always fits', () => {
    const [first, second] = cutBatches(mixed, 0, 0, wide, 100_000);
    const both = first.message.bytes + (second?.message.bytes ?? 0);
    expect(cutBatches(mixed, 0, 0, wide, both)).toHaveLength(2);
    expect(cutBatches(mixed, 0, 0, wide, both - 1)).toHaveLength(1);
    expect(cutBatches(mixed, 0, 0, wide, 0)).toHaveLength(1);
  });

  it('continue within a chunk', () => {
    const batches = cutBatches(chunksOf(...values(150)), 0, 0, { ...wide, eventsMax: 60 }, 100_000);
    expect(batches.map(({ from, to, skip }) => [from, to, skip])).toEqual([
      [0, 60, 60],
      [60, 120, 20],
      [120, 150, 0],
    ]);
  });
});
