import type { X509Certificate } from 'node:crypto';
import { pathLengthOf } from './path-length.js';

/** Limit for the device's own certificate and the issuers between it and the trusted one. */
export const certificatesMax = 5;

export const serialOf = (x509: X509Certificate): string => x509.serialNumber.toLowerCase();

export const isInDates = (x509: X509Certificate, nowMs: number): boolean =>
  Date.parse(x509.validFrom) <= nowMs && nowMs <= Date.parse(x509.validTo);

/** Whether the private key of `issuer` signed the certificate, and `issuer` may sign certificates. */
const isIssuedBy = (x509: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && x509.checkIssued(issuer) && x509.verify(issuer.publicKey);

/** Self-issued certificates, whose issuer has the same name, do not count (RFC 5280 §4.2.1.9). */
const isWithinPathLength = ([, ...between]: readonly X509Certificate[], issuer: X509Certificate): boolean =>
  between.filter((x509) => x509.subject !== x509.issuer).length <= pathLengthOf(issuer);

/**
 * Whether `issuer` signed the last certificate of the path and was permitted to.
 * @param path A device's own certificate first, each one signed by the next
 */
export const continuesTo = (path: readonly X509Certificate[], issuer: X509Certificate): boolean => {
  const last = path.at(-1);
  return last !== undefined && isIssuedBy(last, issuer) && isWithinPathLength(path, issuer);
};

/**
 * The chain that a device presented, its own certificate first, up to the last one that signed its predecessor. It ends before
 * an issuer that did not sign, is no authority, has more issuers below it than permitted, or is out of date. The caller decides
 * whether one of the certificates is trusted.
 */
export const pathOf = (presented: readonly X509Certificate[], nowMs: number): X509Certificate[] => {
  const [own, ...issuers] = presented.slice(0, certificatesMax);
  if (!own) return [];
  const path = [own];
  for (const issuer of issuers) {
    if (issuer.fingerprint256 === path.at(-1)?.fingerprint256) break;
    if (!continuesTo(path, issuer) || !isInDates(issuer, nowMs)) break;
    path.push(issuer);
  }
  return path;
};
