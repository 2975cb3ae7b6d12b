import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import { recordHeaders, RecordHeaders } from './record-headers.js';

const require = createRequire(import.meta.url);
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
  buffer: Buffer;
};
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => { readVarInt(): number };
const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as (
  decoder: object,
  batch: object,
) => KafkaMessage;

/** There and back through kafkajs' own encoder and decoder of records. */
const decoded = (headers: Record<string, string>): KafkaMessage => {
  const record = encodeRecord({
    offsetDelta: 3,
    timestampDelta: 5,
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    headers,
  });
  const decoder = new Decoder(record.buffer);
  decoder.readVarInt();
  return decodeRecord(decoder, { firstOffset: '10', firstTimestamp: '20' });
};

describe('headers of a record', () => {
  const headers = {
    ce_id: 'the id',
    id: 'another name with the same end',
    ce_time: '',
    ce_type: 'ä ✓',
    long: 'x'.repeat(300),
    ce_source: 's',
  };

  it('come as kafkajs wrote them, beside the rest of the record', () => {
    const message = decoded(headers);
    expect(message).toMatchObject({ offset: '13', timestamp: '25' });
    expect(String(message.value)).toBe('v');
    expect(recordHeaders(message).all()).toEqual(headers);
  });

  it.each([
    ['in order', Object.keys(headers)],
    ['backwards', Object.keys(headers).reverse()],
  ])('are found by name, %s, again and again', (_, names) => {
    const read = recordHeaders(decoded(headers));
    for (const name of [...names, ...names])
      expect([name, read.get(name)]).toEqual([name, headers[name as keyof typeof headers]]);
  });

  it('that are not there are undefined', () => {
    const read = recordHeaders(decoded(headers));
    expect(read.get('ce_nothing')).toBeUndefined();
    expect(read.get('ce_')).toBeUndefined();
    expect(read.get('ce_id')).toBe('the id');
    expect(recordHeaders(decoded({})).get('ce_id')).toBeUndefined();
  });

  it('without a value are empty', () => {
    const bytes = Buffer.from([2, 2, 0x61, 1]);
    expect(new RecordHeaders(bytes, 0).get('a')).toBe('');
  });

  it('decoded by another library are refused', () => {
    expect(() => recordHeaders({ headers: { ce_id: 'x' } } as unknown as KafkaMessage)).toThrow(TypeError);
  });
});
