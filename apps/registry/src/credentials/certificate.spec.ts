import { selfSigned } from '@lanyard/testing';
import { expect, it } from '@jest/globals';
import { readCertificate } from './certificate.js';

it('a certificate may have an empty subject (RFC 5280 §4.1.2.6)', () => {
  const { certificate } = selfSigned('', { hosts: ['thermo-1.example.com'] });
  expect(readCertificate(certificate)).toMatchObject({ subject: '', issuer: '' });
});
