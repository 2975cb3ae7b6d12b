import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { MalformedPublicKey } from '../errors.js';

/** The only curve of the devices' handshakes (RFC 7925 §4.3). */
const curve = 'prime256v1';

/** SHA-256 of the SubjectPublicKeyInfo in a PEM text, lower-case hex. Throws MalformedPublicKey. */
export const publicKeyFingerprint = (pem: string): string => {
  const key = parsed(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== curve) throw new MalformedPublicKey();
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex');
};

const parsed = (pem: string): KeyObject => {
  // Node would also accept a private key, which must never leave its device.
  if (!pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) throw new MalformedPublicKey();
  try {
    return createPublicKey({ key: pem, format: 'pem' });
  } catch {
    throw new MalformedPublicKey();
  }
};
