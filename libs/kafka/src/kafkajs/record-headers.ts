import type { HeaderReader, Headers } from '@lanyard/contracts';
import type { IHeaders, KafkaMessage } from 'kafkajs';

interface Cursor {
  buffer: Buffer;
  offset: number;
}

/** Zig-zag varint (Kafka protocol, "varint"). */
const readVarInt = (cursor: Cursor): number => {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = cursor.buffer[cursor.offset++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
  }
};

/** The headers of one record, undecoded. Bytes become text on access. */
export class RecordHeaders implements HeaderReader {
  private readonly cursor: Cursor;
  private readonly start: number;
  private readonly count: number;
  private at = 0;

  constructor(buffer: Buffer, offset: number) {
    this.cursor = { buffer, offset };
    this.count = Math.max(0, readVarInt(this.cursor));
    this.start = this.cursor.offset;
  }

  /** Readers ask roughly in the order in which headers were written, so the search continues after the one found last. */
  get(name: string): string | undefined {
    for (let looked = 0; looked < this.count; looked++) {
      const value = this.valueIfNamed(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  all(): Headers {
    const { buffer } = this.cursor;
    this.rewind();
    return Object.fromEntries(
      Array.from({ length: this.count }, () => {
        const { nameStart, nameEnd, valueStart, valueEnd } = this.next();
        return [buffer.toString('utf8', nameStart, nameEnd), buffer.toString('utf8', valueStart, valueEnd)];
      }),
    );
  }

  private valueIfNamed(name: string): string | undefined {
    const { buffer } = this.cursor;
    const { nameStart, nameEnd, valueStart, valueEnd } = this.next();
    if (nameEnd - nameStart !== name.length) return undefined;
    // Compared from the end, because all names begin with `ce_`.
    for (let n = name.length - 1; n >= 0; n--) if (buffer[nameStart + n] !== name.charCodeAt(n)) return undefined;
    return buffer.toString('utf8', valueStart, valueEnd);
  }

  private next(): { nameStart: number; nameEnd: number; valueStart: number; valueEnd: number } {
    if (this.at === this.count) this.rewind();
    this.at++;
    const { cursor } = this;
    const nameLength = readVarInt(cursor);
    const nameStart = cursor.offset;
    const nameEnd = (cursor.offset += nameLength);
    // -1: no value.
    const valueLength = Math.max(0, readVarInt(cursor));
    const valueStart = cursor.offset;
    const valueEnd = (cursor.offset += valueLength);
    return { nameStart, nameEnd, valueStart, valueEnd };
  }

  private rewind(): void {
    this.at = 0;
    this.cursor.offset = this.start;
  }
}

/** Headers that kafkajs decoded: of compressed and transactional batches, and without our decoding of responses. */
class DecodedHeaders implements HeaderReader {
  constructor(private readonly headers: IHeaders) {}

  get(name: string): string | undefined {
    return [this.headers[name]].flat().at(-1)?.toString();
  }

  all(): Headers {
    return Object.fromEntries(Object.keys(this.headers).map((name) => [name, this.get(name) ?? '']));
  }
}

export const recordHeaders = ({ headers = {} }: KafkaMessage): HeaderReader & { all(): Headers } =>
  headers instanceof RecordHeaders ? headers : new DecodedHeaders(headers);
