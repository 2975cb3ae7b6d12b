import { createECDH } from 'node:crypto';
import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';

const UNCOMPRESSED = 4;
const POINT_BYTES = 65;

/** A key pair of one handshake on secp256r1 (RFC 8422). */
export class EphemeralKey {
  /** An uncompressed point. */
  readonly publicKey: Buffer;
  private readonly ecdh = createECDH('prime256v1');

  constructor() {
    this.publicKey = this.ecdh.generateKeys();
  }

  /** The pre-master secret, 32 bytes. @throws DecodeError when `peerPublicKey` is not a point of the curve */
  agree(peerPublicKey: Buffer): Buffer {
    if (peerPublicKey.length === POINT_BYTES && peerPublicKey[0] === UNCOMPRESSED) {
      try {
        return this.ecdh.computeSecret(peerPublicKey);
      } catch {
        // The same error as for a point of another format.
      }
    }
    throw new DecodeError('not a point of secp256r1', AlertDescription.IllegalParameter);
  }
}
