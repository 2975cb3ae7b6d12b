import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodePeerMessage, encodePeerMessage, type PeerMessage } from './peer-message.js';

// Bytes above 0x7f would be others in UTF-8.
const key = { id: '0a1b2c3d', key: Buffer.from(Array.from({ length: 32 }, (_, n) => 0xe0 + n)) };
const message: PeerMessage = {
  kind: 'record',
  owner: '7:0123456789abcdef',
  sequence: 1,
  timeMs: 1_700_000_000_000,
  address: { address: '192.0.2.7', port: 40_001 },
  payload: Buffer.from('a record'),
};

describe('a message between replicas', () => {
  it('ends with an HMAC-SHA256 of the rest, truncated to 16 bytes: another version accepts it', () => {
    const bytes = encodePeerMessage(message, key);
    const mac = createHmac('sha256', key.key).update(bytes.subarray(0, -16)).digest();
    expect(bytes.subarray(-16)).toEqual(mac.subarray(0, 16));
    expect(decodePeerMessage(bytes, [key])).toEqual(message);
  });
});
