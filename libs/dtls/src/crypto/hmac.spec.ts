import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HmacKey } from './hmac.js';

const bytesOf = (length: number, step: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at * step));

describe('HMAC-SHA256', () => {
  it('gives the digest of RFC 4231 §4.7, with a key of more than a block', () => {
    const data = Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First');
    expect(new HmacKey(Buffer.alloc(131, 0xaa)).digest(data).toString('hex')).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  it.each([0, 1, 16, 48, 63, 64, 65, 1_000])('with a key of %i bytes is that of node:crypto', (keyBytes) => {
    const key = bytesOf(keyBytes, 7);
    const hmac = new HmacKey(key);
    for (const bytes of [0, 1, 55, 56, 64, 960, 961, 16_384]) {
      const content = bytesOf(bytes, 11);
      expect(hmac.digest(content)).toEqual(createHmac('sha256', key).update(content).digest());
    }
  });

  it('covers its parts in their order', () => {
    const [first, second] = [bytesOf(5, 3), bytesOf(90, 5)];
    const digest = new HmacKey(first).digest(first, Buffer.alloc(0), second);
    expect(digest).toEqual(createHmac('sha256', first).update(first).update(second).digest());
  });

  it('writes only what there is room for', () => {
    const into = Buffer.alloc(12, 0xee);
    expect(new HmacKey(Buffer.from('key')).digestInto(into, 2, into.subarray(0, 2))).toBe(10);
    const digest = createHmac('sha256', 'key').update(Buffer.alloc(2, 0xee)).digest();
    expect(into).toEqual(Buffer.concat([Buffer.alloc(2, 0xee), digest.subarray(0, 10)]));
  });
});
