import { type KeyObject } from 'node:crypto';
import { readCertificate, readIssuer, readPublicKey } from '../crypto/public-keys.js';
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
