import { type PackedBytes, packBytes } from './packed-bytes.js';
import { prf } from './prf.js';
import { type CipherSuite } from './suites.js';

export type Role = 'client' | 'server';

/** The keys of one direction. */
export interface DirectionKeys {
  macKey: PackedBytes;
  key: PackedBytes;
  iv: PackedBytes;
}

export function keyBlockBytes({ macKeyBytes, keyBytes, ivBytes }: CipherSuite): number {
  return 2 * (macKeyBytes + keyBytes + ivBytes);
}

/** All keys of an epoch as one key block (RFC 5246 §6.3). */
export function deriveKeys(
  suite: CipherSuite,
  secret: Buffer,
  clientRandom: Buffer,
  serverRandom: Buffer,
): PackedBytes {
  return packBytes(prf(secret, 'key expansion', keyBlockBytes(suite), serverRandom, clientRandom));
}

/** The keys with which `writer` protects its records. */
export function directionKeys(suite: CipherSuite, keyBlock: PackedBytes, writer: Role): DirectionKeys {
  const { macKeyBytes, keyBytes, ivBytes } = suite;
  const index = writer === 'client' ? 0 : 1;
  const part = (start: number, bytes: number): PackedBytes =>
    keyBlock.slice(start + index * bytes, start + (index + 1) * bytes);
  return {
    macKey: part(0, macKeyBytes),
    key: part(2 * macKeyBytes, keyBytes),
    iv: part(2 * (macKeyBytes + keyBytes), ivBytes),
  };
}
