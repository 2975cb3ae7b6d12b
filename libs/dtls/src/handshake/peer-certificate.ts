import { type KeyObject, X509Certificate } from 'node:crypto';
import { AlertDescription } from '../alerts.js';
import { readCertificate, readPublicKey } from '../crypto/public-keys.js';
import { DecodeError } from '../errors.js';
import { CertificateType } from '../messages/extensions.js';
import { type PeerCredential } from './credentials.js';

/** A credential that is claimed until a signature by `publicKey` proves it. */
export interface ClaimedCredential {
  credential: PeerCredential;
  publicKey: KeyObject;
}

/**
 * Reads the entries of a Certificate message, which is not empty.
 * @throws DecodeError bad_certificate or unsupported_certificate
 */
export function readCredential(entries: readonly Buffer[], type: number): ClaimedCredential {
  if (type === CertificateType.RawPublicKey) {
    const spki = Buffer.from(entries[0]!);
    return { credential: { kind: 'raw-public-key', publicKey: spki }, publicKey: readPublicKey(spki) };
  }
  const certificate = readCertificate(entries[0]!);
  const chain = [certificate, ...entries.slice(1).map(readIssuer)];
  return { credential: { kind: 'x509', chain }, publicKey: certificate.publicKey };
}

/** Issuers may have keys of any kind, because this library does not use them. */
function readIssuer(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new DecodeError('Certificate: not a certificate', AlertDescription.BadCertificate);
  }
}
