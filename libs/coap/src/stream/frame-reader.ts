import { decodeFrame, frameOf, headBytes, type StreamMessage } from '../codec/stream-message.js';

/** A remainder is copied from a buffer that is more than this many times as large, so that a few bytes do not keep it alive. */
const BUFFER_TIMES_MAX = 4;

/** More chunks than this are joined: for a peer that sends single bytes, a Buffer takes many times the memory of its content. */
const CHUNKS_MAX = 1_024;

/** In memory of its own: that which small Buffers share is large. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/**
 * Splits a byte stream into messages. It holds what arrived, never more than one chunk beyond the largest message, and reserves
 * nothing for a length that a peer announces.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private held = 0;
  /** Bytes that must have arrived before another attempt is useful. */
  private needed = 1;

  constructor(private readonly messageBytesMax: number) {}

  /** Bytes of a message that is not complete. */
  get heldBytes(): number {
    return this.held;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.held += chunk.length;
    if (this.chunks.length > CHUNKS_MAX) this.joinChunks();
  }

  /** The next complete message. @throws MalformedMessage, MessageTooLarge: nothing after it can be read */
  next(): StreamMessage | undefined {
    if (this.held < this.needed) return undefined;
    const bytes = this.joinChunks();
    const head = headBytes(bytes[0]!);
    if (this.held < head) return this.waitFor(head);
    const frame = frameOf(bytes, this.messageBytesMax);
    if (this.held < frame.end) return this.waitFor(frame.end);
    const message = decodeFrame(bytes, frame);
    this.keep(bytes.subarray(frame.end));
    return message;
  }

  clear(): void {
    this.keep(Buffer.alloc(0));
  }

  private joinChunks(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks, this.held)];
    return this.chunks[0]!;
  }

  private waitFor(bytes: number): undefined {
    this.needed = bytes;
    return undefined;
  }

  private keep(rest: Buffer): void {
    const isSmallPart = rest.buffer.byteLength > BUFFER_TIMES_MAX * rest.length;
    this.chunks = rest.length === 0 ? [] : [isSmallPart ? copyOf(rest) : rest];
    this.held = rest.length;
    this.needed = 1;
  }
}
