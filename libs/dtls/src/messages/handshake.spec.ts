import { describe, expect, it } from '@jest/globals';
import { DecodeError, UnencodableMessage } from '../errors.js';
import { HANDSHAKE_BYTES_MAX } from '../limits.js';
import {
  decodeHandshakeFragments,
  encodeHandshake,
  encodeHandshakeFragment,
  fragmentHandshake,
  HandshakeType,
} from './handshake.js';

const body = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
const message = encodeHandshake(HandshakeType.Certificate, 0x0102, body);

describe('handshake messages', () => {
  it('have the header of RFC 6347 §4.2.2', () => {
    expect(message.subarray(0, 12).toString('hex')).toBe('0b' + '000064' + '0102' + '000000' + '000064');
    expect(message.subarray(12)).toEqual(body);
  });

  it('are read from one record, several of them and empty ones too', () => {
    const done = encodeHandshake(HandshakeType.ServerHelloDone, 3, Buffer.alloc(0));
    expect(decodeHandshakeFragments(Buffer.concat([message, done]))).toEqual([
      { type: 11, length: 100, messageSequence: 0x0102, offset: 0, fragment: body },
      { type: 14, length: 0, messageSequence: 3, offset: 0, fragment: Buffer.alloc(0) },
    ]);
  });

  it.each([13, 20, 50, 62, 111, 112, 200])('are split into fragments of at most %i bytes', (bytesMax) => {
    const fragments = fragmentHandshake(message, bytesMax);
    expect(Math.max(...fragments.map(({ length }) => length))).toBeLessThanOrEqual(bytesMax);
    const read = fragments.flatMap((fragment) => decodeHandshakeFragments(fragment));
    expect(Buffer.concat(read.map(({ fragment }) => fragment))).toEqual(body);
    expect(read.map(({ offset }) => offset)).toEqual(
      read.map((_, index) => read.slice(0, index).reduce((sum, { fragment }) => sum + fragment.length, 0)),
    );
    expect(
      read.every(({ type, length, messageSequence }) => type === 11 && length === 100 && messageSequence === 258),
    ).toBe(true);
  });

  it('cannot be split into headers only', () => {
    expect(() => fragmentHandshake(message, 12)).toThrow(UnencodableMessage);
  });

  it('are refused at every shorter length', () => {
    for (let length = 0; length < message.length; length += 1) {
      expect(() => decodeHandshakeFragments(message.subarray(0, length))).toThrow(DecodeError);
    }
  });

  it.each([
    ['a fragment that overruns its message', '0b 000004 0000 000002 000003 010203'],
    ['a fragment that begins behind its message', '0b 000004 0000 000005 000000'],
    ['a message of 16 MiB', '0b ffffff 0000 000000 000001 00'],
    ['a message over the limit', `0b ${(HANDSHAKE_BYTES_MAX + 1).toString(16).padStart(6, '0')} 0000 000000 000001 00`],
  ])('%s is refused', (_, text) => {
    expect(() => decodeHandshakeFragments(Buffer.from(text.replaceAll(' ', ''), 'hex'))).toThrow(DecodeError);
  });

  it('a fragment that would be refused cannot be written', () => {
    const fragment = { type: 11, length: 4, messageSequence: 0, offset: 2, fragment: Buffer.alloc(3) };
    expect(() => encodeHandshakeFragment(fragment)).toThrow(UnencodableMessage);
    expect(() => encodeHandshake(11, 0, Buffer.alloc(HANDSHAKE_BYTES_MAX + 1))).toThrow(UnencodableMessage);
  });
});
