import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import { recordHeaders, RecordHeaders } from './record-headers.js';

const require = createRequire(import.meta.url);
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
  buffer: Buffer;
};
interface Decoder {
  offset: number;
  readInt8(): number;
  readVarInt(): number;
  readVarLong(): unknown;
  readVarIntBytes(): Buffer | null;
}

const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => Decoder;
const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as (
  decoder: Decoder,
  batch: object,
) => KafkaMessage;

type Headers = Record<string, string | string[]>;

const encoded = (headers: Headers): Buffer =>
  encodeRecord({ offsetDelta: 3, timestampDelta: 5, key: Buffer.from('k'), value: Buffer.from('v'), headers }).buffer;

const byKafkajs = (headers: Headers): ReturnType<typeof recordHeaders> => {
  const decoder = new Decoder(encoded(headers));
  decoder.readVarInt();
  return recordHeaders(decodeRecord(decoder, { firstOffset: '10', firstTimestamp: '20' }));
};

const byUs = (headers: Headers): ReturnType<typeof recordHeaders> => {
  const buffer = encoded(headers);
  const decoder = new Decoder(buffer);
  decoder.readVarInt();
  decoder.readInt8();
  decoder.readVarLong();
  decoder.readVarInt();
  decoder.readVarIntBytes();
  decoder.readVarIntBytes();
  return new RecordHeaders(buffer, decoder.offset);
};

describe.each([
  ['kafkajs', byKafkajs],
  ['us', byUs],
])('headers of a record, decoded by %s', (_, decoded) => {
  const headers = {
    ce_id: 'the id',
    id: 'another name with the same end',
    ce_time: '',
    ce_type: 'ä ✓',
    long: 'x'.repeat(300),
    ce_source: 's',
  };

  it('are all there', () => {
    expect(decoded(headers).all()).toEqual(headers);
  });

  it.each([
    ['in order', Object.keys(headers)],
    ['backwards', Object.keys(headers).reverse()],
  ])('are found by name, %s, again and again', (_, names) => {
    const read = decoded(headers);
    for (const name of [...names, ...names])
      expect([name, read.get(name)]).toEqual([name, headers[name as keyof typeof headers]]);
  });

  it('that are not there are undefined', () => {
    const read = decoded(headers);
    expect(read.get('ce_nothing')).toBeUndefined();
    expect(read.get('ce_')).toBeUndefined();
    expect(read.get('ce_id')).toBe('the id');
    expect(decoded({}).get('ce_id')).toBeUndefined();
  });

  it('that come twice have the last value', () => {
    expect(decoded({ a: ['1', '2'] }).all()).toEqual({ a: '2' });
  });
});

it('a header without a value is empty', () => {
  expect(new RecordHeaders(Buffer.from([2, 2, 0x61, 1]), 0).get('a')).toBe('');
});

it('a message may have no headers', () => {
  expect(recordHeaders({} as KafkaMessage).all()).toEqual({});
});
