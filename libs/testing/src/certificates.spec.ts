import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { certificateAuthority } from './certificates.js';

describe('certificates for tests', () => {
  // Their length differs by some bytes, and with it where the last line ends.
  it('can be read and checked, whatever their length', () => {
    const root = new X509Certificate(certificateAuthority('Root').certificate);
    expect(root.verify(root.publicKey)).toBe(true);
    for (let length = 1; length <= 64; length++) {
      const authority = certificateAuthority('a'.repeat(length));
      const leaf = new X509Certificate(authority.issue('leaf').certificate);
      expect(leaf.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    }
  });

  it('name an organization, which is a group for Kubernetes', () => {
    const { certificate } = certificateAuthority('Root').issue('admin', { organization: 'system:masters' });
    expect(new X509Certificate(certificate).subject).toBe('O=system:masters\nCN=admin');
  });
});
