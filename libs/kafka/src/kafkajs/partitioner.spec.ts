import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { keyPartitioner, murmur2 } from './partitioner.js';
import { replaceParts } from './replacements.js';

replaceParts();

const require = createRequire(import.meta.url);
const theirs = require('kafkajs/src/producer/partitioners/default/murmur2.js') as (key: Buffer) => number;

describe('the partition of a key', () => {
  it('comes from the hash that kafkajs computes, for keys of every length', () => {
    for (let length = 0; length < 200; length++) {
      const key = randomBytes(length);
      expect([key.toString('hex'), murmur2(key)]).toEqual([key.toString('hex'), theirs(key)]);
    }
  });

  it('is the one that kafkajs chooses, for text and bytes', () => {
    const partitionMetadata = Array.from({ length: 8 }, (_, partitionId) => ({ partitionId, leader: 1 })) as never;
    const [ours, kafka] = [keyPartitioner(), kafkajs.Partitioners.DefaultPartitioner()];
    for (const key of ['0123456789abcdef0123456789abcdef', 'kéy ✓', '', Buffer.from([0, 255, 128, 7, 9])]) {
      const about = { topic: 't', partitionMetadata, message: { key, value: null } };
      expect(ours(about)).toBe(kafka(about));
    }
    expect(ours({ topic: 't', partitionMetadata, message: { key: 'k', value: null, partition: 5 } })).toBe(5);
    expect(ours({ topic: 't', partitionMetadata, message: { value: null } })).toBeLessThan(8);
  });
});
