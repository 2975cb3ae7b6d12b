import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { NamedGroup } from './extensions.js';
import { Reader } from './reader.js';
import { uint16, uint8, vector16, vector8 } from './writer.js';

const NAMED_CURVE = 3;

/** The ServerKeyExchange of plain PSK (RFC 4279 §2). */
export interface PskServerKeyExchange {
  identityHint: Buffer;
}

/** The ServerKeyExchange of ECDHE_ECDSA (RFC 8422 §5.4), always with secp256r1. */
export interface EcdheServerKeyExchange {
  /** Ephemeral public key: an uncompressed point. */
  publicKey: Buffer;
  /** A `SignatureAlgorithm`. */
  algorithm: number;
  /** Over client random, server random and `encodeEcdheParameters(publicKey)`. */
  signature: Buffer;
}

/** @throws DecodeError */
export function decodePskServerKeyExchange(body: Buffer): PskServerKeyExchange {
  const reader = new Reader(body, 'ServerKeyExchange');
  const identityHint = reader.vector16();
  reader.expectEnd();
  return { identityHint };
}

export function encodePskServerKeyExchange({ identityHint }: PskServerKeyExchange): Buffer {
  return vector16(identityHint);
}

/** @throws DecodeError */
export function decodeEcdheServerKeyExchange(body: Buffer): EcdheServerKeyExchange {
  const reader = new Reader(body, 'ServerKeyExchange');
  if (reader.uint8() !== NAMED_CURVE || reader.uint16() !== NamedGroup.Secp256r1) {
    throw new DecodeError('ServerKeyExchange: unknown curve', AlertDescription.IllegalParameter);
  }
  const publicKey = reader.vector8(1);
  const algorithm = reader.uint16();
  const signature = reader.vector16();
  reader.expectEnd();
  return { publicKey, algorithm, signature };
}

export function encodeEcdheServerKeyExchange({ publicKey, algorithm, signature }: EcdheServerKeyExchange): Buffer {
  return Buffer.concat([encodeEcdheParameters(publicKey), uint16(algorithm), vector16(signature)]);
}

/** The signed part of the message: curve and point. */
export function encodeEcdheParameters(publicKey: Buffer): Buffer {
  return Buffer.concat([uint8(NAMED_CURVE), uint16(NamedGroup.Secp256r1), vector8(publicKey)]);
}
