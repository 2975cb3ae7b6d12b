import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';

/** With a line that begins with this, node:crypto reads PEM, although the bytes before it are DER. */
const PEM_BEGIN = '-----BEGIN ';

/** Reads a DER certificate with a key on P-256. @throws DecodeError */
export function readCertificate(der: Buffer): X509Certificate {
  const certificate = readIssuer(der);
  requireP256(readOrRefuse(() => certificate.publicKey));
  return certificate;
}

/** Reads a DER certificate, whose key may be of any kind, because this library does not use it. @throws DecodeError */
export function readIssuer(der: Buffer): X509Certificate {
  // The text would be read as another certificate, here or in the packed chain.
  if (der.includes(PEM_BEGIN)) throw badCertificate();
  const certificate = readOrRefuse(() => new X509Certificate(der));
  // The constructor ignores trailing bytes.
  if (!certificate.raw.equals(der)) throw badCertificate();
  return certificate;
}

/** Reads a raw public key on P-256: a DER SubjectPublicKeyInfo (RFC 7250 §3). @throws DecodeError */
export function readPublicKey(spki: Buffer): KeyObject {
  const key = readOrRefuse(() => createPublicKey({ key: spki, format: 'der', type: 'spki' }));
  requireP256(key);
  if (!encodePublicKey(key).equals(spki)) throw badCertificate();
  return key;
}

/** The SubjectPublicKeyInfo of a key; of a private key, the one of its public key. */
export function encodePublicKey(key: KeyObject): Buffer {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'der', type: 'spki' });
}

function requireP256(key: KeyObject): void {
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return;
  throw new DecodeError('not a key on secp256r1', AlertDescription.UnsupportedCertificate);
}

function readOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw badCertificate();
  }
}

function badCertificate(): DecodeError {
  return new DecodeError('not a certificate or public key', AlertDescription.BadCertificate);
}
