import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { decodeFetch, replaceFetchResponse } from './fetch-response.js';
import { recordHeaders } from './record-headers.js';
import { UnreadableBatch } from './unreadable-batch.js';

const require = createRequire(import.meta.url);
interface Fetched {
  responses: readonly { partitions: readonly { messages: readonly unknown[] }[] }[];
}
interface Fetch {
  decode: (answer: Buffer) => Promise<Fetched>;
}
type Message = Parameters<typeof recordHeaders>[0] & { isControlRecord: boolean };

const response = require('kafkajs/src/protocol/requests/fetch/v11/response.js') as Fetch;
/** kafkajs' own. */
const { decode: decodeOfKafkajs } = { ...response };
replaceFetchResponse();

/** What kafkajs makes of the messages of a partition. */
const FetchedBatch = require('kafkajs/src/consumer/batch.js') as new (
  topic: string,
  fetchedOffset: string,
  partition: object,
) => { messages: readonly unknown[]; isEmptyDueToFiltering(): boolean; lastOffset(): string };

const encodeBatch = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch: (batch: object) => Promise<{ buffer: Buffer }>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => object;

interface Given {
  key: string | null;
  value: string | null;
  headers?: Record<string, string>;
  timestampDelta?: number;
}

const batch = async (firstOffset: number, records: readonly Given[], more: object = {}): Promise<Buffer> => {
  const firstTimestamp = 1_790_000_000_000;
  const { buffer } = await encodeBatch.RecordBatch({
    firstOffset,
    firstTimestamp,
    maxTimestamp: firstTimestamp + 5_000,
    lastOffsetDelta: records.length - 1,
    records: records.map(({ key, value, headers = {}, timestampDelta = 0 }, offsetDelta) =>
      encodeRecord({
        offsetDelta,
        timestampDelta,
        key: key === null ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        headers,
      }),
    ),
    ...more,
  });
  return buffer;
};

const int = (bytes: 2 | 4 | 8, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, bytes);
  return buffer;
};

const partition = (number: number, set: Buffer, aborted: readonly [number, number][] = []): Buffer =>
  Buffer.concat([
    int(4, number),
    int(2, 0),
    int(8, 1_000),
    int(8, 990),
    int(8, 3),
    int(4, aborted.length || -1),
    ...aborted.flatMap(([producer, first]) => [int(8, producer), int(8, first)]),
    int(4, -1),
    int(4, set.length),
    set,
  ]);

const answer = (...partitions: Buffer[]): Buffer => {
  const name = Buffer.from('device.values');
  return Buffer.concat([
    int(4, 7),
    int(2, 0),
    int(4, 9),
    int(4, 1),
    int(2, name.length),
    name,
    int(4, partitions.length),
    ...partitions,
  ]);
};

const plain = ({ responses, ...rest }: Fetched) => ({
  ...rest,
  responses: responses.map((topic) => ({
    ...topic,
    partitions: topic.partitions.map((each) => ({
      ...each,
      messages: (each.messages as Message[]).map((message) => ({
        offset: message.offset,
        timestamp: message.timestamp,
        attributes: message.attributes,
        key: message.key && String(message.key),
        value: message.value && String(message.value),
        headers: recordHeaders(message).all(),
        isControlRecord: message.isControlRecord,
      })),
    })),
  })),
});

const records: Given[] = [
  { key: 'a', value: 'one', headers: { ce_id: '1', ce_type: 'ä ✓' } },
  { key: null, value: 'x'.repeat(70_000), timestampDelta: 300 },
  { key: 'c', value: null, timestampDelta: -20 },
  { key: '', value: '', timestampDelta: 2_000_000_000_000 },
  { key: 'k'.repeat(200), value: 'last', headers: { long: 'y'.repeat(9_000) } },
];

const logAppendTime = 0x08;

/** A copy with other attributes; the checksum is not looked at. */
const withAttributes = (bytes: Buffer, attributes: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeInt16BE(attributes, 21);
  return copy;
};

const gzipped = (whole: Buffer): Buffer => {
  const compressed = gzipSync(whole.subarray(61));
  const head = withAttributes(whole.subarray(0, 61), 1);
  head.writeInt32BE(49 + compressed.length, 8);
  return Buffer.concat([head, compressed]);
};

describe('the answer to a fetch', () => {
  it.each<[string, () => Promise<Buffer>]>([
    ['no partition', async () => answer()],
    ['an empty partition', async () => answer(partition(3, Buffer.alloc(0)))],
    ['records of one batch', async () => answer(partition(0, await batch(500, records)))],
    ['an offset of more than 32 bits', async () => answer(partition(0, await batch(2 ** 40, records)))],
    [
      'several batches and partitions',
      async () =>
        answer(
          partition(4, Buffer.concat([await batch(7, records), await batch(12, records.slice(0, 2))]), [[5, 6]]),
          partition(5, Buffer.alloc(0)),
          partition(6, await batch(9, records.slice(2))),
        ),
    ],
    [
      'a batch of which the end is missing',
      async () =>
        answer(partition(0, Buffer.concat([await batch(7, records), (await batch(12, records)).subarray(0, 300)]))),
    ],
    ['less than the head of a batch', async () => answer(partition(0, (await batch(12, records)).subarray(0, 40)))],
    [
      'a time that the broker set',
      async () => answer(partition(0, withAttributes(await batch(12, records), logAppendTime))),
    ],
    ['a batch of a transaction', async () => answer(partition(0, withAttributes(await batch(12, records), 0x10)))],
    [
      'a control batch behind others',
      async () =>
        answer(
          partition(
            0,
            Buffer.concat([await batch(1, records), withAttributes(await batch(12, records.slice(0, 1)), 0x30)]),
          ),
          partition(1, await batch(1, records)),
        ),
    ],
  ])('is what kafkajs reads of it: %s', async (_, make) => {
    const bytes = await make();
    expect(plain(await decodeFetch(bytes))).toEqual(plain(await decodeOfKafkajs(bytes)));
  });

  it('compressed batches are read by kafkajs', async () => {
    const whole = await batch(12, records);
    const { responses } = plain(await decodeFetch(answer(partition(0, gzipped(whole)))));
    expect(responses).toEqual(plain(await decodeFetch(answer(partition(0, whole)))).responses);
  });

  it.each<[string, (whole: Buffer) => Buffer, number]>([
    ['Snappy', (whole) => whole, 2],
    ['LZ4', gzipped, 3],
    ['Zstandard', gzipped, 4 | 0x10],
  ])('a batch that kafkajs cannot decompress is one message: %s', async (codec, others, attributes) => {
    const unreadable = withAttributes(await batch(12, records), attributes);
    const set = Buffer.concat([others(await batch(7, records)), unreadable, await batch(17, records.slice(0, 2))]);
    const { responses } = await decodeFetch(answer(partition(0, set)));
    const messages = responses[0]?.partitions[0]?.messages as (Message | UnreadableBatch)[];
    expect(messages.map(({ offset }) => offset)).toEqual(['7', '8', '9', '10', '11', '16', '17', '18']);
    const found = messages.filter((message): message is UnreadableBatch => message instanceof UnreadableBatch);
    expect(found.map(({ problem }) => problem)).toEqual([expect.stringContaining(codec)]);
    expect(found[0]?.value.equals(unreadable)).toBe(true);
    expect(found[0]?.batchContext).toEqual({ inTransaction: attributes > 7, producerId: '-1' });
  });

  it('kafkajs continues behind batches of which compaction has removed all messages', async () => {
    const emptied = await batch(7, [], { lastOffsetDelta: 4 });
    const sets = [emptied, withAttributes(emptied, 0x10), Buffer.concat([emptied, await batch(12, records)])];
    const { responses } = await decodeFetch(answer(...sets.map((set, number) => partition(number, set))));
    const read = responses[0]?.partitions.map((each) => new FetchedBatch('device.values', '5', each)) ?? [];
    expect(read.map((each) => [each.isEmptyDueToFiltering(), each.messages.length, each.lastOffset()])).toEqual([
      [true, 0, '11'],
      [true, 0, '11'],
      [false, records.length, '16'],
    ]);
  });

  it('a batch of very many messages is read, also beside a compressed one', async () => {
    const count = 200_000;
    // Without key, value and headers: the smallest record that there is.
    const record = [12, 0, 0, 0, 1, 1, 0];
    const many = Buffer.concat([
      (await batch(12, [{ key: null, value: null }])).subarray(0, 61),
      Buffer.alloc(count * record.length, Buffer.from(record)),
    ]);
    many.writeInt32BE(many.length - 12, 8);
    many.writeInt32BE(count, 57);
    const set = Buffer.concat([many, gzipped(await batch(300_000, records))]);
    const { responses } = await decodeFetch(answer(partition(0, set)));
    expect(responses[0]?.partitions[0]?.messages).toHaveLength(count + records.length);
  });

  it('kafkajs reads answers with it', () => {
    expect(response.decode).toBe(decodeFetch);
  });
});
