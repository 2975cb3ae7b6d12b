import { selfSigned } from '@lanyard/testing';
import { expect, it } from '@jest/globals';
import { MalformedCertificate } from '../errors.js';
import { readCertificate } from './certificate.js';

it('a certificate may have an empty subject (RFC 5280 §4.1.2.6)', () => {
  const { certificate } = selfSigned('', { hosts: ['thermo-1.example.com'] });
  expect(readCertificate(certificate)).toMatchObject({ subject: '', issuer: '' });
});

it('a certificate whose end is no time is refused', () => {
  const { certificate } = selfSigned('thermo-1', { notAfter: new Date('2070-12-31T00:00:00Z') });
  const der = Buffer.from(certificate.replaceAll(/-----.*-----/g, ''), 'base64');
  der.write('13', der.indexOf('20701231') + '2070'.length);
  const pem = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  expect(() => readCertificate(pem)).toThrow(MalformedCertificate);
});
