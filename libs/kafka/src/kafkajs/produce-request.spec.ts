import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { replaceParts } from './replacements.js';

type Request = (about: object) => { apiVersion: number; encode: () => Promise<{ buffer: Buffer }> };

const require = createRequire(import.meta.url);
const path = 'kafkajs/src/protocol/requests/produce/v3/request.js';
const theirs = require(path) as Request;
replaceParts();
const ours = require(path) as Request;

const key = 'key';
const value = Buffer.from('{"item":{}}');
const timestamp = '1700000000000';

const bytes = async (request: Request, messages: object[], more: object = {}): Promise<string> => {
  const topicData = [{ topic: 'a-tópic', partitions: [{ partition: 3, messages }] }];
  const encoded = await request({ acks: -1, timeout: 30_000, producerId: -1, topicData, ...more }).encode();
  return encoded.buffer.toString('hex');
};

const message = (fields: object): object => ({ key, value, timestamp, ...fields });

describe('a produce request', () => {
  it.each([
    ['headers', message({ headers: { ce_id: 'an id', ce_type: 't', 'content-type': 'x/y' } })],
    ['no headers', message({})],
    ['an empty set of headers', message({ headers: {} })],
    ['text for key and value', message({ key: 'kéy', value: 'ä ✓', headers: { ce_source: 'ä ✓ 🙂', empty: '' } })],
    ['a value of ASCII', message({ value: '{"item":{}}', headers: { ce_id: 'an id', ce_type: 't' } })],
    ['a value of ASCII and no header', message({ value: '' })],
    ['a value of ASCII beside other headers', message({ value: '{}', headers: { ce_source: 'ä', b: ['1', '2'] } })],
    ['a value of ASCII and another key', message({ key: 'kéy', value: 'v'.repeat(300), headers: { ce_id: 'x' } })],
    ['a tombstone', message({ value: null, headers: { ce_id: 'x' } })],
    ['no key', message({ key: null, value: Buffer.alloc(0) })],
    ['bytes and several values', message({ headers: { a: Buffer.from([0, 255]), b: ['1', '2'] } })],
    [
      'long fields',
      message({ key: 'k'.repeat(64), value: Buffer.alloc(70_000, 7), headers: { n: 'v'.repeat(9_000) } }),
    ],
    ['a header that says something else than before', message({ headers: { ce_id: 'another id', ce_type: 't' } })],
    ['texts of two bytes length in headers', message({ headers: { ce_id: 'i'.repeat(64), ce_type: 't' } })],
    ['a name with an accent', message({ headers: { ce_naïve: 'x', ce_type: 't' } })],
    ['the same once more', message({ headers: { ce_naïve: 'x', ce_type: 'ß' } })],
  ])('is written as kafkajs writes it: %s', async (_name, one) => {
    expect(await bytes(ours, [one])).toBe(await bytes(theirs, [one]));
  });

  it('is written as kafkajs writes it: many messages at different times', async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      message({ key: `k${n}`, timestamp: String(1_700_000_000_000 + ((n * 7_919) % 100_000)), headers: { n: `${n}` } }),
    );
    expect(await bytes(ours, many)).toBe(await bytes(theirs, many));
  });

  it('is written as kafkajs writes it: messages that were bundled', async () => {
    const many = Array.from({ length: 50 }, (_, n) => message({ key: `k${n}`, headers: { n: `${n}` } }));
    const bundle = { key: null, value: null, partition: 3, bundled: many };
    expect(await bytes(ours, [bundle])).toBe(await bytes(theirs, many));
    expect(await bytes(ours, [message({}), bundle])).toBe(await bytes(theirs, [message({}), ...many]));
  });

  it('is written as kafkajs writes it for an idempotent producer: messages of a term', async () => {
    const many = Array.from({ length: 3 }, (_, n) => message({ key: `k${n}` }));
    const stamp = { producerId: 2n ** 40n, epoch: 7, sequence: 4_711 };
    const bundle = { key: null, value: null, partition: 3, bundled: many, stamp };
    const partitions = [{ partition: 3, messages: many, firstSequence: 4_711 }];
    const topicData = [{ topic: 'a-tópic', partitions }];
    expect(await bytes(ours, [bundle])).toBe(
      await bytes(theirs, [], { producerId: 2 ** 40, producerEpoch: 7, topicData }),
    );
  });

  it('is written as kafkajs writes it: several topics and partitions', async () => {
    const partitions = [0, 7].map((partition) => ({ partition, messages: [message({}), message({ key: 'b' })] }));
    const topicData = ['a', 'b'].map((topic) => ({ topic, partitions }));
    expect(await bytes(ours, [], { topicData })).toBe(await bytes(theirs, [], { topicData }));
  });

  it('is left to kafkajs when it is compressed or of an idempotent producer', async () => {
    for (const more of [{ compression: 1 }, { producerId: 5, producerEpoch: 2 }])
      expect(await bytes(ours, [message({})], more)).toBe(await bytes(theirs, [message({})], more));
  });

  it('takes the place of theirs, also in later versions of the request', async () => {
    expect(ours).not.toBe(theirs);
    const seventh = require('kafkajs/src/protocol/requests/produce/v7/request.js') as Request;
    expect(seventh({ acks: -1, timeout: 1, topicData: [] }).apiVersion).toBe(7);
    expect(await bytes(seventh, [message({})])).toBe(await bytes(theirs, [message({})]));
  });

  it('refuses timestamps that it cannot write', async () => {
    const late = message({ timestamp: String(1_700_000_000_000 + 2 ** 31) });
    await expect(bytes(ours, [message({}), late])).rejects.toThrow(RangeError);
  });
});
