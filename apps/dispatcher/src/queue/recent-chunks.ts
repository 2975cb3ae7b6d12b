import { batchEventsMax, bodyBytesMax } from '../limits.js';
import { readHead } from './chunk.js';

/** Chunks that follow each other in a queue. */
export interface Run {
  /** Identifies the queue and the order of its events (`born` in Redis): a queue that is created again counts from 0 again. */
  incarnation: string;
  /** Number of the first event, and the number after the last. */
  from: number;
  to: number;
  chunks: readonly Chunk[];
}

interface Chunk {
  bytes: Buffer;
  /** In bytes of memory. */
  cost: number;
  from: number;
  to: number;
}

interface ChannelTail {
  incarnation: string;
  chunks: Chunk[];
  bytes: number;
}

/** The share of the memory for recent chunks that one channel may use. */
const channelShare = 1 / 4;

/** Memory that a chunk takes beside its bytes. */
const chunkOverheadBytes = 300;

const noRun = ['', '', ''] as const;

/**
 * What this process appended recently and is not confirmed yet, so that delivery in this process need not read it back from
 * Redis. Redis is the source of truth, and says which part of it is current (`has_itself` in the commands). The memory is
 * bounded: the oldest chunks are dropped first, and are then read from Redis.
 */
export class RecentChunks {
  private readonly tails = new Map<string, ChannelTail>();
  private bytes = 0;
  private currentEpoch = 0;

  constructor(private readonly bytesMax: number) {}

  /** Changes when everything was forgotten: what Redis answered before that is not added any more. */
  get epoch(): number {
    return this.currentEpoch;
  }

  get size(): number {
    return this.bytes;
  }

  /** Redis went away, and may come back without its last writes: numbers may be assigned to other events. */
  forget(): void {
    this.tails.clear();
    this.bytes = 0;
    this.currentEpoch++;
  }

  /** Redis has these chunks at the end of the channel's queue; `to` is the number after their last event. */
  add(epoch: number, channelId: string, incarnation: string, to: number, chunks: readonly Buffer[]): void {
    if (epoch !== this.currentEpoch) return;
    const added = numbered(chunks, to);
    const known = this.tails.get(channelId);
    const follows = known?.incarnation === incarnation && known.chunks.at(-1)?.to === added[0]?.from;
    if (known && !follows) this.drop(channelId);
    const tail = follows ? known : { incarnation, chunks: [], bytes: 0 };
    // The channel that grew last is the last one to shrink.
    this.tails.delete(channelId);
    this.tails.set(channelId, tail);
    for (const chunk of added) {
      tail.chunks.push(chunk);
      tail.bytes += chunk.cost;
      this.bytes += chunk.cost;
    }
    while (tail.bytes > this.bytesMax * channelShare) this.shift(channelId, tail);
    for (const [id, { chunks: left }] of this.tails) {
      if (this.bytes <= this.bytesMax) break;
      if (left.length > 0) this.drop(id);
    }
  }

  /** The chunks from event `next` on, or from the oldest: at least enough for one batch, if they are here. */
  run(channelId: string, next?: number): Run | undefined {
    const tail = this.tails.get(channelId);
    if (!tail) return undefined;
    const start = next === undefined ? 0 : tail.chunks.findIndex(({ to }) => to > next);
    const first = tail.chunks[start];
    if (!first || (next !== undefined && next < first.from)) return undefined;
    let end = start;
    for (let [events, bytes] = [0, 0]; end < tail.chunks.length; end++) {
      const chunk = tail.chunks[end] as Chunk;
      // One chunk more than a batch holds, because a batch may begin within a chunk.
      if (events > batchEventsMax || bytes > bodyBytesMax) break;
      if (end > start) events += chunk.to - chunk.from;
      bytes += chunk.bytes.length;
    }
    const chunks = tail.chunks.slice(start, end);
    return { incarnation: tail.incarnation, from: first.from, to: chunks.at(-1)?.to ?? first.to, chunks };
  }

  /** Events before this number are confirmed. */
  confirmed(channelId: string, to: number): void {
    const tail = this.tails.get(channelId);
    while (tail?.chunks[0] && tail.chunks[0].to <= to) this.shift(channelId, tail);
  }

  private shift(channelId: string, tail: ChannelTail): void {
    const gone = tail.chunks.shift();
    if (gone) {
      tail.bytes -= gone.cost;
      this.bytes -= gone.cost;
    }
    if (tail.chunks.length === 0) this.tails.delete(channelId);
  }

  private drop(channelId: string): void {
    this.bytes -= this.tails.get(channelId)?.bytes ?? 0;
    this.tails.delete(channelId);
  }
}

/** A small buffer is a part of a larger one, and would keep all of that in memory. */
const copyIfShared = (bytes: Buffer): Buffer => {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

const numbered = (chunks: readonly Buffer[], to: number): Chunk[] => {
  const counts = chunks.map((chunk) => readHead(chunk).count);
  let from = to - counts.reduce((sum, count) => sum + count, 0);
  return chunks.map((bytes, n) => ({
    bytes: copyIfShared(bytes),
    cost: bytes.length + chunkOverheadBytes,
    from,
    to: (from += counts[n] ?? 0),
  }));
};

/** A run in the form in which the commands take it. */
export const runArguments = (run: Run | undefined): readonly (string | number)[] =>
  run ? [run.incarnation, run.from, run.to] : noRun;

/** The chunks of a run from the one that holds event `next` on, and how many of its events are before. */
export const chunksFrom = (run: Run, next: number): { chunks: Buffer[]; skip: number } => {
  const start = run.chunks.findIndex(({ to }) => to > next);
  const chunks = run.chunks.slice(start);
  return { chunks: chunks.map(({ bytes }) => bytes), skip: next - (chunks[0]?.from ?? next) };
};
