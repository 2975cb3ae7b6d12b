import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { certificateAuthority, type CertificateOptions, type Certified } from '@lanyard/testing';
import { pathOf } from './certificate-path.js';

const x509Of = ({ certificate }: Certified): X509Certificate => new X509Certificate(certificate);

/** A device's certificate and its three issuers, each under the next. */
const chainWith = (root: CertificateOptions, upper: CertificateOptions, lowerName = 'lower'): X509Certificate[] => {
  const rootAuthority = certificateAuthority('root', root);
  const upperAuthority = rootAuthority.intermediate('upper', upper);
  const lowerAuthority = upperAuthority.intermediate(lowerName);
  return [lowerAuthority.issue('device'), lowerAuthority, upperAuthority, rootAuthority].map(x509Of);
};

describe('the path of a certificate', () => {
  it.each([
    ['no limits', {}, {}, 4],
    ['limits that it keeps', { pathLength: 2 }, { pathLength: 1 }, 4],
    ['limits beyond it', { pathLength: 127 }, { pathLength: 5 }, 4],
    ['a limit of the intermediate issuer that it exceeds', {}, { pathLength: 0 }, 2],
    ['a limit of the root that it exceeds', { pathLength: 1 }, { pathLength: 1 }, 3],
  ])('ends before the issuer whose path length it exceeds: %s', (_, root, upper, length) => {
    expect(pathOf(chainWith(root, upper), Date.now())).toHaveLength(length);
  });

  it('does not count an issuer that has the name of its own issuer', () => {
    expect(pathOf(chainWith({}, { pathLength: 0 }, 'upper'), Date.now())).toHaveLength(4);
  });
});
