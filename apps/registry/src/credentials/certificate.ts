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

/** The first certificate of a PEM text. Throws MalformedCertificate. */
export const readCertificate = (pem: string): CertificateFacts => {
  const x509 = parsed(pem);
  return {
    fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: x509.subject.split('\n').join(', '),
    issuer: x509.issuer.split('\n').join(', '),
    notAfter: new Date(x509.validTo),
    pem: x509.toString(),
    x509,
  };
};

const parsed = (pem: string): X509Certificate => {
  // A DER certificate in binary would be accepted too, but JSON cannot carry one.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new MalformedCertificate();
  try {
    return new X509Certificate(pem);
  } catch {
    throw new MalformedCertificate();
  }
};
