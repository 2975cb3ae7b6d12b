import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { certificateAuthority, type CertificateOptions } from '@lanyard/testing';
import { endpointNameIn } from './certificate-names.js';

const authority = certificateAuthority('Names');
const certificate = (commonName: string, options: CertificateOptions = {}): X509Certificate =>
  new X509Certificate(authority.issue(commonName, options).certificate);

const urn = 'urn:imei:356938035643809';

describe('the endpoint name of a certificate', () => {
  it('is where its issuer says', () => {
    const x509 = certificate('meter-7', { uris: [urn], hosts: ['meter-7.example', '192.0.2.7'] });
    expect(endpointNameIn(x509, 'common_name')).toBe('meter-7');
    expect(endpointNameIn(x509, 'san_uri')).toBe(urn);
    expect(endpointNameIn(x509, 'san_dns')).toBe('meter-7.example');
  });

  it('is found where the subject is empty, and is none where there are no alternative names', () => {
    const bare = certificate('', { uris: [urn] });
    expect([endpointNameIn(bare, 'common_name'), endpointNameIn(bare, 'san_uri')]).toEqual([undefined, urn]);
    const plain = certificate('meter-7');
    expect([endpointNameIn(plain, 'san_uri'), endpointNameIn(plain, 'san_dns')]).toEqual([undefined, undefined]);
  });

  it('is none where there are several, or it is too long', () => {
    expect(endpointNameIn(certificate('x', { uris: [urn, 'urn:imei:2'] }), 'san_uri')).toBeUndefined();
    expect(endpointNameIn(certificate('x', { hosts: ['a.example', 'b.example'] }), 'san_dns')).toBeUndefined();
    expect(endpointNameIn(certificate('x', { uris: [`urn:${'a'.repeat(60)}`] }), 'san_uri')).toHaveLength(64);
    expect(endpointNameIn(certificate('x', { uris: [`urn:${'a'.repeat(61)}`] }), 'san_uri')).toBeUndefined();
    const faces = '\u{1F600}'.repeat(64);
    expect(endpointNameIn({ subject: `CN=${faces}` }, 'common_name')).toBe(faces);
    expect(endpointNameIn({ subject: `CN=${faces}x` }, 'common_name')).toBeUndefined();
  });

  it('is the common name as it is in the certificate', () => {
    for (const name of ['#7, "Hall" + <A>; \\B\\0A', ' a ', 'Zähler=7', 'a + CN=b'])
      expect(endpointNameIn(certificate(name), 'common_name')).toBe(name);
    expect(endpointNameIn(certificate('a\nCN=b'), 'common_name')).toBeUndefined();
    expect(endpointNameIn({ subject: 'O=a\nserialNumber=7 + CN=meter-7' }, 'common_name')).toBe('meter-7');
    expect(endpointNameIn({ subject: 'CN=a + CN=b' }, 'common_name')).toBeUndefined();
  });

  it('cannot be made of a part of another name', () => {
    for (const name of [`a, URI:${urn}`, `a", URI:${urn}`, `a\\", URI:${urn}`, `"a", URI:${urn}`]) {
      const host = certificate('x', { hosts: [name] });
      expect([endpointNameIn(host, 'san_uri'), endpointNameIn(host, 'san_dns')]).toEqual([undefined, name]);
      const uri = certificate('x', { uris: [name] });
      expect(endpointNameIn(uri, 'san_uri')).toBe(name);
    }
  });

  it.each(['URI:', 'URI:a,URI:b', 'URI:"a', 'nonsense', 'URI:a, nonsense', 'URI:"a\\u0000"'])(
    'is none in "%s"',
    (subjectAltName) => expect(endpointNameIn({ subjectAltName }, 'san_uri')).toBeUndefined(),
  );
});
