import { X509Certificate } from 'node:crypto';
import { MalformedCertificate } from '../errors.js';

export interface CertificateFacts {
  /** SHA-256 of the DER encoding, lower-case hex. */
  fingerprint: string;
  subject: string;
  issuer: string;
  notAfter: Date;
  /** PEM of this certificate only. */
  pem: string;
  x509: X509Certificate;
}

/** The name in one line. It is undefined in Node if it has no parts, as it may in a certificate (RFC 5280 §4.1.2.6). */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ');

/** The first certificate of a PEM text. Throws MalformedCertificate. */
export const readCertificate = (pem: string): CertificateFacts => {
  const x509 = parsed(pem);
  const notAfter = new Date(x509.validTo);
  // A time may be invalid, such as the 30th of February: OpenSSL reads times only when they are compared or shown.
  if (Number.isNaN(notAfter.getTime())) throw new MalformedCertificate();
  return {
    fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: oneLine(x509.subject),
    issuer: oneLine(x509.issuer),
    notAfter,
    pem: x509.toString(),
    x509,
  };
};

const parsed = (pem: string): X509Certificate => {
  // A DER certificate in binary would be accepted too, but JSON cannot carry one.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new MalformedCertificate();
  try {
    const x509 = new X509Certificate(pem);
    // A key of a kind that OpenSSL does not know is an error only when it is read.
    void x509.publicKey;
    return x509;
  } catch {
    throw new MalformedCertificate();
  }
};
