import type { Message } from 'kafkajs';
import { stampOf, unbundled } from './bundles.js';
import { checksum } from './crc32c.js';
import { privateModule, replaceModule } from './modules.js';
import type { ProducerStamp } from './producer-term.js';
import { type MeasuredRecord, measureRecord, writeRecord } from './record-encoder.js';
import { HeadroomRequest } from './request-headroom.js';

interface PartitionData {
  partition: number;
  messages: readonly Message[];
}

interface TopicData {
  topic: string;
  partitions: readonly PartitionData[];
}

/** A produce request as kafkajs hands it to its encoder. */
interface ProduceRequest {
  acks: number;
  timeout: number;
  transactionalId?: string | null;
  /** -1: none. */
  producerId?: number;
  compression?: number;
  topicData: readonly TopicData[];
}

/** A request as kafkajs sends it. */
interface Encodable {
  apiKey: number;
  apiVersion: number;
  apiName: string;
  expectResponse: () => boolean;
  encode: () => Promise<{ buf: Buffer; buffer: Buffer }>;
}

/** A batch in front of its records: from its first offset to the number of records. */
const batchHeadBytes = 61;
/** Bytes of a batch that the checksum does not cover: first offset, length, leader epoch, magic, checksum. */
const uncheckedBytes = 21;
/** First offset and length are not part of the length. */
const unmeasuredBytes = 12;
const magic = 2;

interface Batch {
  partition: number;
  records: readonly MeasuredRecord[];
  stamp: ProducerStamp;
  firstMs: number;
  lastMs: number;
  bytes: number;
}

interface TopicBatches {
  name: Buffer;
  batches: readonly Batch[];
}

/** The stamp of a batch without a producer id. */
const noStamp: ProducerStamp = { producerId: -1n, epoch: 0, sequence: 0 };

const batchOf = ({ partition, messages: given }: PartitionData): Batch => {
  const messages = unbundled(given);
  const now = Date.now();
  const times = messages.map(({ timestamp }) => Number(timestamp || now));
  const firstMs = times.reduce((least, time) => Math.min(least, time), Infinity);
  const lastMs = times.reduce((most, time) => Math.max(most, time), -Infinity);
  const records = messages.map((message, n) => measureRecord(message, n, (times[n] as number) - firstMs));
  const bytes = records.reduce((sum, record) => sum + record.bytes, batchHeadBytes);
  return { partition, records, stamp: stampOf(given) ?? noStamp, firstMs, lastMs, bytes };
};

const writeInt64 = (buffer: Buffer, at: number, value: number): void => {
  buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
  buffer.writeUInt32BE(value % 2 ** 32, at + 4);
};

/** Record batch of format v2 (KIP-98): no transaction, no compression. */
const writeBatch = (buffer: Buffer, start: number, { records, stamp, firstMs, lastMs, bytes }: Batch): number => {
  const end = start + bytes;
  writeInt64(buffer, start, 0);
  buffer.writeInt32BE(bytes - unmeasuredBytes, start + 8);
  buffer.writeInt32BE(0, start + 12);
  buffer.writeInt8(magic, start + 16);
  let at = buffer.writeInt16BE(0, start + uncheckedBytes);
  at = buffer.writeInt32BE(records.length - 1, at);
  writeInt64(buffer, at, firstMs);
  writeInt64(buffer, at + 8, lastMs);
  at = buffer.writeBigInt64BE(stamp.producerId, at + 16);
  at = buffer.writeInt16BE(stamp.epoch, at);
  at = buffer.writeInt32BE(stamp.sequence, at);
  at = buffer.writeInt32BE(records.length, at);
  for (const record of records) at = writeRecord(buffer, at, record);
  buffer.writeUInt32BE(checksum(buffer, start + uncheckedBytes, end), start + uncheckedBytes - 4);
  return end;
};

const sizeOf = (topics: readonly TopicBatches[]): number =>
  topics.reduce(
    (sum, { name, batches }) => batches.reduce((all, { bytes }) => all + 8 + bytes, sum + 2 + name.length + 4),
    12,
  );

const writeRequest = (
  buffer: Buffer,
  start: number,
  { acks, timeout }: ProduceRequest,
  topics: TopicBatches[],
): void => {
  let at = buffer.writeInt16BE(-1, start);
  at = buffer.writeInt16BE(acks, at);
  at = buffer.writeInt32BE(timeout, at);
  at = buffer.writeInt32BE(topics.length, at);
  for (const { name, batches } of topics) {
    at = buffer.writeInt16BE(name.length, at);
    at += name.copy(buffer, at);
    at = buffer.writeInt32BE(batches.length, at);
    for (const batch of batches) {
      at = buffer.writeInt32BE(batch.partition, at);
      at = buffer.writeInt32BE(batch.bytes, at);
      at = writeBatch(buffer, at, batch);
    }
  }
};

/** Version 3 of the request (KIP-98); versions up to 7 are written in the same way. In one piece, whose size is known beforehand. */
const encodeProduceRequest = (request: ProduceRequest): HeadroomRequest => {
  const topics = request.topicData.map(({ topic, partitions }) => ({
    name: Buffer.from(topic),
    batches: partitions.map(batchOf),
  }));
  return HeadroomRequest.of(sizeOf(topics), (buffer, at) => writeRequest(buffer, at, request, topics));
};

/** Whether this encoder supports the request. */
const isSupported = ({ transactionalId, producerId = -1, compression = 0 }: ProduceRequest): boolean =>
  !transactionalId && Number(producerId) === -1 && compression === 0;

const path = 'protocol/requests/produce/v3/request.js';

/**
 * kafkajs makes a zeroed buffer of 512 bytes for every header of a record, copies each record several times, and looks
 * up one byte after the other for the checksum. Its requests load this module when the first one is made: from then on
 * they get this encoder. What kafkajs makes idempotent, a transaction or compressed is left to it.
 */
export const replaceProduceRequest = (): void => {
  const original = privateModule(path) as (request: ProduceRequest) => Encodable;
  const replacement = (request: ProduceRequest): Encodable => {
    if (!isSupported(request)) return original(request);
    return {
      apiKey: 0,
      apiVersion: 3,
      apiName: 'Produce',
      expectResponse: () => request.acks !== 0,
      encode: async () => encodeProduceRequest(request),
    };
  };
  replaceModule(path, replacement);
};
