import { categories, type Category } from '@lanyard/contracts';
import { eventOverheadBytes } from '../limits.js';

/**
 * Events are stored in chunks: measurements showed that a list of chunks drains three times faster than a list of
 * events. All numbers are big endian:
 *
 *   u8 category · u32 count · f64 time of the youngest event, ms · u32 length × count · events joined by commas
 *
 * The Lua commands read the first three fields (`>BI4d`).
 */
const headerBytes = 13;
const lengthBytes = 4;

/**
 * A chunk is closed when it has this many events or bytes, or spans this time (dropping by age is accurate to this). With
 * the overhead that Redis adds it fits into 8 KiB: the next size class of its allocator is a quarter larger.
 */
export const chunkEventsMax = 100;
const chunkBytesMax = 8_100;
const chunkSpanMaxMs = 5_000;

export interface ChunkHead {
  category: Category;
  count: number;
  /** When its youngest event was queued. */
  newestAtMs: number;
}

export const readHead = (chunk: Buffer): ChunkHead => ({
  category: categories[chunk.readUInt8(0)] as Category,
  count: chunk.readUInt32BE(1),
  newestAtMs: chunk.readDoubleBE(5),
});

export const eventsIn = (chunks: readonly Buffer[]): number =>
  chunks.reduce((sum, chunk) => sum + readHead(chunk).count, 0);

/** What a chunk counts against the channel's limit. The Lua commands compute the same. */
export const chunkCost = (chunk: Buffer): number =>
  chunk.length + chunk.readUInt32BE(1) * (eventOverheadBytes - lengthBytes);

/** Bytes of events [first, first + count) of a chunk, with the commas between them. */
export const sliceEvents = (chunk: Buffer, first: number, count: number): Buffer => {
  const total = chunk.readUInt32BE(1);
  let start = headerBytes + lengthBytes * total;
  for (let n = 0; n < first; n++) start += eventBytes(chunk, n) + 1;
  if (first + count === total) return chunk.subarray(start);
  let end = start - 1;
  for (let n = first; n < first + count; n++) end += eventBytes(chunk, n) + 1;
  return chunk.subarray(start, end);
};

export const eventBytes = (chunk: Buffer, n: number): number => chunk.readUInt32BE(headerBytes + lengthBytes * n);

const encode = (category: Category, events: readonly Buffer[], newestAtMs: number): Buffer => {
  const payload = events.reduce((sum, event) => sum + event.length + 1, -1);
  const chunk = Buffer.allocUnsafe(headerBytes + lengthBytes * events.length + payload);
  chunk.writeUInt8(categories.indexOf(category), 0);
  chunk.writeUInt32BE(events.length, 1);
  chunk.writeDoubleBE(newestAtMs, 5);
  let at = headerBytes + lengthBytes * events.length;
  events.forEach((event, n) => {
    chunk.writeUInt32BE(event.length, headerBytes + lengthBytes * n);
    if (n > 0) at = chunk.writeUInt8(0x2c, at);
    at += event.copy(chunk, at);
  });
  return chunk;
};

/** Puts events of one channel, in order, into chunks of one category each. */
export class ChunkBuilder {
  /** Events added so far. */
  count = 0;
  private readonly chunks: Buffer[] = [];
  private events: Buffer[] = [];
  private category: Category | undefined;
  private bytes = 0;
  private oldestAtMs = Infinity;
  private newestAtMs = -Infinity;

  add(category: Category, event: Buffer, atMs: number): void {
    if (this.isFull(category, event, atMs)) this.close();
    this.count++;
    this.category = category;
    this.events.push(event);
    this.bytes += event.length;
    this.oldestAtMs = Math.min(this.oldestAtMs, atMs);
    this.newestAtMs = Math.max(this.newestAtMs, atMs);
  }

  finish(): Buffer[] {
    this.close();
    return this.chunks;
  }

  private isFull(category: Category, event: Buffer, atMs: number): boolean {
    if (this.events.length === 0) return false;
    const span = Math.max(this.newestAtMs, atMs) - Math.min(this.oldestAtMs, atMs);
    return (
      category !== this.category ||
      this.events.length >= chunkEventsMax ||
      this.bytesWith(event) > chunkBytesMax ||
      span > chunkSpanMaxMs
    );
  }

  /** Bytes of the chunk if the event were added. An event that alone exceeds the limit gets a chunk of its own. */
  private bytesWith(event: Buffer): number {
    return headerBytes + (lengthBytes + 1) * (this.events.length + 1) + this.bytes + event.length;
  }

  private close(): void {
    if (this.category === undefined || this.events.length === 0) return;
    this.chunks.push(encode(this.category, this.events, this.newestAtMs));
    this.events = [];
    this.bytes = 0;
    this.oldestAtMs = Infinity;
    this.newestAtMs = -Infinity;
  }
}
