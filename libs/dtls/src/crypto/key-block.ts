import { prf } from './prf.js';
import { type CipherSuite } from './suites.js';

export type Role = 'client' | 'server';

/** The keys of one direction; views of the key block. */
export interface DirectionKeys {
  macKey: Buffer;
  key: Buffer;
  iv: Buffer;
}

export function keyBlockBytes({ macKeyBytes, keyBytes, ivBytes }: CipherSuite): number {
  return 2 * (macKeyBytes + keyBytes + ivBytes);
}

/** All keys of an epoch as one key block (RFC 5246 §6.3). */
export function deriveKeys(suite: CipherSuite, secret: Buffer, clientRandom: Buffer, serverRandom: Buffer): Buffer {
  return prf(secret, 'key expansion', Buffer.concat([serverRandom, clientRandom]), keyBlockBytes(suite));
}

/** What `writer` protects its records with. */
export function directionKeys(suite: CipherSuite, keyBlock: Buffer, writer: Role): DirectionKeys {
  const { macKeyBytes, keyBytes, ivBytes } = suite;
  const index = writer === 'client' ? 0 : 1;
  const view = (start: number, bytes: number): Buffer =>
    keyBlock.subarray(start + index * bytes, start + (index + 1) * bytes);
  return {
    macKey: view(0, macKeyBytes),
    key: view(2 * macKeyBytes, keyBytes),
    iv: view(2 * (macKeyBytes + keyBytes), ivBytes),
  };
}
