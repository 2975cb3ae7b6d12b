import type { X509Certificate } from 'node:crypto';

/** The device's own certificate, and issuers between it and the trusted one. */
export const certificatesMax = 5;

export const serialOf = (x509: X509Certificate): string => x509.serialNumber.toLowerCase();

export const isInDates = (x509: X509Certificate, nowMs: number): boolean =>
  Date.parse(x509.validFrom) <= nowMs && nowMs <= Date.parse(x509.validTo);

/** Whether the private key of `issuer` signed it, and `issuer` may sign certificates. */
export const isIssuedBy = (x509: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && x509.checkIssued(issuer) && x509.verify(issuer.publicKey);

/**
 * The chain that a device presented, its own certificate first, as far as each one is signed by the next. It ends before an
 * issuer that did not sign, is no authority or is out of date. The caller decides whether one of them is trusted.
 */
export const pathOf = (presented: readonly X509Certificate[], nowMs: number): X509Certificate[] => {
  const [own, ...issuers] = presented.slice(0, certificatesMax);
  if (!own) return [];
  const path = [own];
  for (const issuer of issuers) {
    const last = path.at(-1) as X509Certificate;
    if (issuer.fingerprint256 === last.fingerprint256) break;
    if (!isIssuedBy(last, issuer) || !isInDates(issuer, nowMs)) break;
    path.push(issuer);
  }
  return path;
};
