import { DecodeError, UnencodableMessage } from '../errors.js';
import { HANDSHAKE_BYTES_MAX } from '../limits.js';
import { Reader } from './reader.js';

/** Handshake types (RFC 5246 §7.4, RFC 6347 §4.2.2). */
export const HandshakeType = {
  HelloRequest: 0,
  ClientHello: 1,
  ServerHello: 2,
  HelloVerifyRequest: 3,
  Certificate: 11,
  ServerKeyExchange: 12,
  CertificateRequest: 13,
  ServerHelloDone: 14,
  CertificateVerify: 15,
  ClientKeyExchange: 16,
  Finished: 20,
} as const;

const HANDSHAKE_HEADER_BYTES = 12;

/** A fragment of a handshake message, or all of it (RFC 6347 §4.2.2). */
export interface HandshakeFragment {
  type: number;
  /** Length of the whole body. */
  length: number;
  messageSequence: number;
  /** Where in the body `fragment` belongs; `offset + fragment.length <= length`. */
  offset: number;
  /** A view of what was decoded. */
  fragment: Buffer;
}

/** Reads the content of a handshake record: one fragment or several. @throws DecodeError */
export function decodeHandshakeFragments(content: Buffer): HandshakeFragment[] {
  const reader = new Reader(content, 'handshake');
  const fragments: HandshakeFragment[] = [];
  do fragments.push(readFragment(reader));
  while (reader.remaining > 0);
  return fragments;
}

function readFragment(reader: Reader): HandshakeFragment {
  const type = reader.uint8();
  const length = reader.uint24();
  const messageSequence = reader.uint16();
  const offset = reader.uint24();
  const fragmentLength = reader.uint24();
  if (length > HANDSHAKE_BYTES_MAX) throw new DecodeError('handshake: message too large');
  if (offset + fragmentLength > length) throw new DecodeError('handshake: fragment overruns its message');
  return { type, length, messageSequence, offset, fragment: reader.takeBytes(fragmentLength) };
}

/** A whole message with its header as one fragment. This is also what the transcript hash covers (RFC 6347 §4.2.6). */
export function encodeHandshake(type: number, messageSequence: number, body: Buffer): Buffer {
  return encodeHandshakeFragment({ type, length: body.length, messageSequence, offset: 0, fragment: body });
}

/** @throws UnencodableMessage */
export function encodeHandshakeFragment(given: HandshakeFragment): Buffer {
  const { type, length, messageSequence, offset, fragment } = given;
  if (length > HANDSHAKE_BYTES_MAX || offset + fragment.length > length) {
    throw new UnencodableMessage('A handshake message that is too large, or a fragment that overruns it');
  }
  const bytes = Buffer.allocUnsafe(HANDSHAKE_HEADER_BYTES + fragment.length);
  bytes[0] = type;
  bytes.writeUIntBE(length, 1, 3);
  bytes.writeUInt16BE(messageSequence, 4);
  bytes.writeUIntBE(offset, 6, 3);
  bytes.writeUIntBE(fragment.length, 9, 3);
  fragment.copy(bytes, HANDSHAKE_HEADER_BYTES);
  return bytes;
}

/**
 * Splits a message of `encodeHandshake` into fragments, each with its header, of at most `bytesMax`, the size that a record and
 * the path can carry.
 */
export function fragmentHandshake(message: Buffer, bytesMax: number): Buffer[] {
  if (message.length <= bytesMax) return [message];
  const step = bytesMax - HANDSHAKE_HEADER_BYTES;
  if (step < 1) throw new UnencodableMessage('No room for a fragment');
  const [{ type, length, messageSequence, fragment: body }] = decodeHandshakeFragments(message) as [HandshakeFragment];
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => {
    const offset = index * step;
    const fragment = body.subarray(offset, Math.min(offset + step, length));
    return encodeHandshakeFragment({ type, length, messageSequence, offset, fragment });
  });
}
