import { X509Certificate } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { issueCertificate, newIssuer } from '../../test/certificates.js';
import { CertificateType } from '../messages/extensions.js';
import { packCredential, type PeerCredential, unpackCredential } from './credentials.js';
import { readCredential } from './peer-certificate.js';

const issuer = newIssuer();
const [own, between] = issueCertificate('device', issuer).chain as [Buffer, Buffer];

const subjectsOf = (credential: PeerCredential): string[] =>
  credential.kind === 'x509' ? credential.chain.map(({ subject }) => subject) : [];

it('a chain is read, and again after it was packed', () => {
  const { credential } = readCredential([own, between], CertificateType.X509);
  expect(subjectsOf(credential)).toEqual(['CN=device', 'CN=intermediate']);
  expect(subjectsOf(unpackCredential(packCredential(credential)))).toEqual(subjectsOf(credential));
});

it('an issuer in whose text there is another certificate is refused', () => {
  const text = new X509Certificate(own).toString();
  const [hiding] = issueCertificate(`\n${text}`, issuer).chain as [Buffer];
  // What node:crypto reads in it.
  expect(new X509Certificate(hiding).subject).toBe('CN=device');
  expect(() => readCredential([own, hiding], CertificateType.X509)).toThrow('not a certificate');
});

it('an issuer with bytes after it is refused', () => {
  const longer = Buffer.concat([between, Buffer.alloc(1)]);
  expect(() => readCredential([own, longer], CertificateType.X509)).toThrow('not a certificate');
});
