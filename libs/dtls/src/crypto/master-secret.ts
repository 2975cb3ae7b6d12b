import { VERIFY_DATA_BYTES } from '../messages/finished.js';
import { vector16 } from '../messages/writer.js';
import { prf } from './prf.js';

export const MASTER_SECRET_BYTES = 48;

/** The pre-master secret of plain PSK: as many zeros as the key has bytes, and the key (RFC 4279 §2). */
export function pskPreMasterSecret(psk: Buffer): Buffer {
  return Buffer.concat([vector16(Buffer.alloc(psk.length)), vector16(psk)]);
}

/** RFC 5246 §8.1. */
export function masterSecret(preMasterSecret: Buffer, clientRandom: Buffer, serverRandom: Buffer): Buffer {
  return prf(preMasterSecret, 'master secret', MASTER_SECRET_BYTES, clientRandom, serverRandom);
}

/**
 * RFC 7627 §4.
 * @param sessionHash SHA-256 of the handshake messages up to and including ClientKeyExchange.
 */
export function extendedMasterSecret(preMasterSecret: Buffer, sessionHash: Buffer): Buffer {
  return prf(preMasterSecret, 'extended master secret', MASTER_SECRET_BYTES, sessionHash);
}

/**
 * The body of a Finished (RFC 5246 §7.4.9).
 * @param transcriptHash SHA-256 of all handshake messages before it.
 */
export function verifyData(secret: Buffer, sender: 'client' | 'server', transcriptHash: Buffer): Buffer {
  return prf(secret, `${sender} finished`, VERIFY_DATA_BYTES, transcriptHash);
}
