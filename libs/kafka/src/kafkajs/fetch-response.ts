import { privateModule } from './modules.js';
import { RecordHeaders } from './record-headers.js';
import { isUnreadable, lastOffsetOf, UnreadableBatch } from './unreadable-batch.js';

interface FetchedTopic {
  topicName: string;
  partitions: { messages: readonly unknown[] }[];
}

/** Kafka protocol, "RecordBatch". */
const magic = 2;
const plainBatch = { inTransaction: false, producerId: '-1' };
const batchOverheadBytes = 49;
/** Positions in a batch: of its length, of what follows the length, of its magic, its attributes, and the number of its records. */
const [lengthAt, bodyAt, magicAt, attributesAt, recordsAt] = [8, 12, 16, 21, 57] as const;
const [firstTimestampAt, maxTimestampAt] = [27, 35] as const;
/** Bits of a batch's attributes: compressed, transactional, control. */
const notPlain = 0x07 | 0x10 | 0x20;
const logAppendTime = 0x08;

/** Of a record set, in front of its batches. */
const lengthBytes = 4;

/** Reads one after the other. Numbers of more than 53 bits are not expected. */
class AnswerReader {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  int8(): number {
    return this.bytes.readInt8(this.at++);
  }

  int16(): number {
    return this.bytes.readInt16BE((this.at += 2) - 2);
  }

  int32(): number {
    return this.bytes.readInt32BE((this.at += 4) - 4);
  }

  int64(): string {
    return String(this.bytes.readBigInt64BE((this.at += 8) - 8));
  }

  string(): string {
    const bytes = this.int16();
    return this.bytes.toString('utf8', this.at, (this.at += Math.max(0, bytes)));
  }

  /** Zig-zag varint or varlong. */
  varint(): number {
    const first = this.bytes[this.at++] ?? 0;
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let value = first & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }

  /** -1: null. */
  varintBytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.bytes.subarray(this.at, (this.at += length));
  }

  array<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }
}

const safeInt64 = (bytes: Buffer, at: number): number => {
  const value = Number(bytes.readBigInt64BE(at));
  return Number.isSafeInteger(value) ? value : NaN;
};

/**
 * What stands for a batch whose messages are not read; undefined: they are. Compaction keeps a batch of which it has removed all
 * messages. kafkajs fetches from the same offset for ever if an answer contains only such batches; it skips control records.
 */
const substituteOf = (bytes: Buffer, batch: number, next: number): object | undefined => {
  if (bytes.readInt32BE(batch + recordsAt) === 0)
    return { offset: lastOffsetOf(bytes, batch), isControlRecord: true, batchContext: plainBatch, key: null };
  const attributes = bytes.readInt16BE(batch + attributesAt);
  return isUnreadable(attributes) ? new UnreadableBatch(bytes.subarray(batch, next), attributes) : undefined;
};

/**
 * Messages of a record set in batches that are neither compressed nor of a transaction; undefined: it contains other batches. A
 * batch that kafkajs cannot decompress is one message.
 */
const plainMessages = (bytes: Buffer, start: number, end: number): unknown[] | undefined => {
  const messages: unknown[] = [];
  const reader = new AnswerReader(bytes);
  for (let batch = start; end - batch >= batchOverheadBytes;) {
    const next = batch + bodyAt + bytes.readInt32BE(batch + lengthAt);
    if (next < batch + recordsAt || bytes.readInt8(batch + magicAt) !== magic) return undefined;
    // An answer ends where its bytes do, also within a batch.
    if (next > end) break;
    const substitute = substituteOf(bytes, batch, next);
    if (substitute) {
      messages.push(substitute);
      batch = next;
      continue;
    }
    const attributes = bytes.readInt16BE(batch + attributesAt);
    if ((attributes & notPlain) !== 0) return undefined;
    const firstOffset = safeInt64(bytes, batch);
    const isStamped = (attributes & logAppendTime) !== 0;
    const timestamp = safeInt64(bytes, batch + (isStamped ? maxTimestampAt : firstTimestampAt));
    if (Number.isNaN(firstOffset + timestamp)) return undefined;
    reader.at = batch + recordsAt;
    for (let left = reader.int32(); left > 0; left--) {
      const recordEnd = reader.varint() + reader.at;
      const recordAttributes = reader.int8();
      const sinceFirst = reader.varint();
      const offset = firstOffset + reader.varint();
      // The fields that kafkajs and the consumers of this library use. Key and value are read in this order.
      messages.push({
        magicByte: magic,
        isControlRecord: false,
        batchContext: plainBatch,
        offset: String(offset),
        timestamp: String(isStamped ? timestamp : timestamp + sinceFirst),
        attributes: recordAttributes,
        key: reader.varintBytes(),
        value: reader.varintBytes(),
        headers: new RecordHeaders(bytes, reader.at),
      });
      reader.at = recordEnd;
    }
    batch = next;
  }
  return messages;
};

const Decoder = privateModule('protocol/decoder.js') as new (bytes: Buffer) => object;
const decodeMessages = privateModule('protocol/requests/fetch/v4/decodeMessages.js') as (
  decoder: object,
) => Promise<unknown[]>;
const decodeBatch = privateModule('protocol/recordBatch/v0/decoder.js') as (
  decoder: object,
) => Promise<{ records: unknown[] }>;

/** Messages of a record set, from its length field on. kafkajs decodes the batches that are compressed or of a transaction. */
const mixedMessages = async (bytes: Buffer, start: number, end: number): Promise<unknown[]> => {
  const first = start + lengthBytes;
  if (bytes.readInt8(first + magicAt) !== magic) return decodeMessages(new Decoder(bytes.subarray(start, end)));
  const messages: unknown[] = [];
  for (let batch = first; end - batch >= batchOverheadBytes;) {
    // A length that is too small is left to kafkajs, which refuses it.
    const next = batch + Math.max(recordsAt, bodyAt + bytes.readInt32BE(batch + lengthAt));
    if (next > end) break;
    const plain = plainMessages(bytes, batch, next);
    // One at a time: a call takes only about a hundred thousand arguments.
    for (const message of plain ?? (await decodeBatch(new Decoder(bytes.subarray(batch, next)))).records)
      messages.push(message);
    batch = next;
  }
  return messages;
};

/** A record set, after its length field. */
const messagesAt = (reader: AnswerReader): readonly unknown[] | Promise<unknown[]> => {
  const { bytes, at } = reader;
  const length = reader.int32();
  if (length <= 0 || reader.at + length > bytes.length) return [];
  const start = reader.at;
  reader.at += length;
  return plainMessages(bytes, start, reader.at) ?? mixedMessages(bytes, at, reader.at);
};

/**
 * The answer to a fetch, version 11 of the Kafka protocol. kafkajs makes a hidden class for each batch that it reads, by
 * `{ ...batch, records }`, and numbers of 64 bits and views of views for each record, and copies the
 * headers of a record once per header. Compressed and transactional batches are left to it.
 */
export const decodeFetch = async (answer: Buffer) => {
  const reader = new AnswerReader(answer);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses: FetchedTopic[] = [];
  for (let topics = reader.int32(); topics > 0; topics--) {
    const topicName = reader.string();
    const partitions: FetchedTopic['partitions'] = [];
    for (let left = reader.int32(); left > 0; left--) {
      const partition = {
        partition: reader.int32(),
        errorCode: reader.int16(),
        highWatermark: reader.int64(),
        lastStableOffset: reader.int64(),
        lastStartOffset: reader.int64(),
        abortedTransactions: reader.array(() => ({ producerId: reader.int64(), firstOffset: reader.int64() })),
        preferredReadReplica: reader.int32(),
        messages: messagesAt(reader) as readonly unknown[],
      };
      if (partition.messages instanceof Promise) partition.messages = await partition.messages;
      partitions.push(partition);
    }
    responses.push({ topicName, partitions });
  }
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
};

export const replaceFetchResponse = (): void => {
  (privateModule('protocol/requests/fetch/v11/response.js') as { decode: typeof decodeFetch }).decode = decodeFetch;
};
