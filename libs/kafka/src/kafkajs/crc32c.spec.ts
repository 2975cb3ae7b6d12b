import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { crc32c } from './crc32c.js';

const require = createRequire(import.meta.url);
const theirs = require('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (bytes: Buffer) => number;

describe('crc32c', () => {
  it('is what RFC 3720 §B.4 says', () => {
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 255))).toBe(0x62a8ab43);
  });

  it('is what kafkajs computes, for every length', () => {
    for (let length = 0; length < 100; length++) {
      const bytes = randomBytes(length);
      expect(crc32c(bytes)).toBe(theirs(bytes));
    }
    const many = randomBytes(100_003);
    expect(crc32c(many)).toBe(theirs(many));
  });

  it('of a part is that of the part alone', () => {
    const bytes = randomBytes(50);
    expect(crc32c(bytes, 3, 47)).toBe(crc32c(Buffer.from(bytes.subarray(3, 47))));
  });
});
