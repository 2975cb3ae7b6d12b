import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';

type Encode = (record: object) => { buffer: Buffer };

const require = createRequire(import.meta.url);
const path = 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
const theirs = require(path) as Encode;
const { encodeRecord: ours } = (await import('./record-encoder.js')) as unknown as { encodeRecord: Encode };

const bytes = (encode: Encode, record: object): string => encode(record).buffer.toString('hex');

describe('encodeRecord', () => {
  const key = Buffer.from('key');
  const value = Buffer.from('{"item":{}}');

  it.each([
    ['a record with headers', { key, value, headers: { ce_id: 'an id', ce_type: 't', 'content-type': 'x/y' } }],
    ['none', { key, value }],
    ['an empty set of headers', { key, value, headers: {} }],
    ['text for key and value', { key: 'kéy', value: 'ä ✓', headers: { ce_source: 'ä ✓ 🙂', empty: '' } }],
    ['a tombstone', { key: 'key', value: null, headers: { ce_id: 'x' } }],
    ['no key', { key: null, value: Buffer.alloc(0) }],
    ['bytes and several values in a header', { key, value, headers: { a: Buffer.from([0, 255]), b: ['1', '2'] } }],
    [
      'lengths of several bytes',
      { key: 'k'.repeat(64), value: Buffer.alloc(70_000, 7), headers: { n: 'v'.repeat(9_000) } },
    ],
    ['a late one of a batch', { key, value, offsetDelta: 999, timestampDelta: 1_234_567 }],
    ['one that is earlier than the first', { key, value, offsetDelta: 64, timestampDelta: -65 }],
  ])('writes what kafkajs writes: %s', (_name, record) => {
    expect(bytes(ours, record)).toBe(bytes(theirs, record));
  });

  it('takes the place of theirs', () => {
    expect(require(path)).toBe(ours);
  });

  it('refuses timestamps that it cannot write', () => {
    expect(() => ours({ key, value, timestampDelta: 2 ** 31 })).toThrow(RangeError);
  });
});
