import { Reader } from './reader.js';
import { vector16, vector8 } from './writer.js';

/** The ClientKeyExchange of plain PSK (RFC 4279 §2). */
export interface PskClientKeyExchange {
  identity: Buffer;
}

/** The ClientKeyExchange of ECDHE (RFC 8422 §5.7). */
export interface EcdheClientKeyExchange {
  /** Ephemeral public key: an uncompressed point. */
  publicKey: Buffer;
}

/** @throws DecodeError */
export function decodePskClientKeyExchange(body: Buffer): PskClientKeyExchange {
  const reader = new Reader(body, 'ClientKeyExchange');
  const identity = reader.vector16();
  reader.expectEnd();
  return { identity };
}

export function encodePskClientKeyExchange({ identity }: PskClientKeyExchange): Buffer {
  return vector16(identity);
}

/** @throws DecodeError */
export function decodeEcdheClientKeyExchange(body: Buffer): EcdheClientKeyExchange {
  const reader = new Reader(body, 'ClientKeyExchange');
  const publicKey = reader.vector8(1);
  reader.expectEnd();
  return { publicKey };
}

export function encodeEcdheClientKeyExchange({ publicKey }: EcdheClientKeyExchange): Buffer {
  return vector8(publicKey);
}
