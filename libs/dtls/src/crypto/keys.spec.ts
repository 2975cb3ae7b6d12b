import { createECDH, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { EphemeralKey } from './ephemeral-key.js';
import { encodePublicKey, readCertificate, readPublicKey } from './public-keys.js';
import { sign, verify } from './signatures.js';

const alertOf = (refused: () => unknown): number => {
  try {
    refused();
  } catch (error) {
    if (error instanceof DecodeError) return error.alert;
    throw error;
  }
  throw new Error('It was accepted');
};

// Self-signed, with a key on P-256 and one with Ed25519; made for this test.
const P256_CERTIFICATE = Buffer.from(
  'MIIBeTCCAR+gAwIBAgIUM5LGPwnaY0TXzgwIftfQrW6HG3kwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGZGV2aWNlMCAXDTI2MTEyNDAwMjQ1MloYDzIxMjYxMDMxMDAyNDUyWjARMQ8wDQYDVQQDDAZkZXZpY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT66uAz+8yx+ruW3OZJtpiZPfQNYYt+48hzoeOHMvEhs8r175j4mW7FnZ0v948WSkhZBUvuNrjT1dahAFr093hGo1MwUTAdBgNVHQ4EFgQUAfUdBejZoEcPniVo55QY3PAAkOswHwYDVR0jBBgwFoAUAfUdBejZoEcPniVo55QY3PAAkOswDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAr+jMoV0Hs3NpWAzJDbFpxxyQwXOopXsaJDP2+kTjXvAIhAOAatcg2Bth342UiRj1NH0dt4tBQfXSXSTO8Bohah117',
  'base64',
);
const ED25519_CERTIFICATE = Buffer.from(
  'MIIBODCB66ADAgECAhRvN5soQbigevrIGlNvGYXDp+6jZDAFBgMrZXAwETEPMA0GA1UEAwwGZGV2aWNlMCAXDTI2MTEyNDAwMjQ1MloYDzIxMjYxMDMxMDAyNDUyWjARMQ8wDQYDVQQDDAZkZXZpY2UwKjAFBgMrZXADIQC/xFP+VPcX2OEjM/zJJgwWek3gcWJOyo7pJ2KnsRFflaNTMFEwHQYDVR0OBBYEFKjXn1KbsLf2YHWcuHiSWXrsNSD8MB8GA1UdIwQYMBaAFKjXn1KbsLf2YHWcuHiSWXrsNSD8MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EABYIAQWCtY4zr5kqwsh6fEif5CUvFwv/WRxgR2JA2LA1CyfL+5020/NHu6ZK5X8uwHoOAI9pRBoXPsaR3xfklBQ==',
  'base64',
);

describe('ephemeral keys', () => {
  it('agree on the x coordinate, and are new each time', () => {
    const [one, other] = [new EphemeralKey(), new EphemeralKey()];
    expect(one.publicKey).not.toEqual(other.publicKey);
    expect([one.publicKey.length, one.publicKey[0]]).toEqual([65, 4]);
    expect(one.agree(other.publicKey)).toEqual(other.agree(one.publicKey));
  });

  it('secrets always have 32 bytes, with leading zeros', () => {
    const one = new EphemeralKey();
    const lengths = Array.from({ length: 600 }, () => one.agree(new EphemeralKey().publicKey));
    expect(new Set(lengths.map(({ length }) => length))).toEqual(new Set([32]));
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['infinity', Buffer.alloc(1)],
    ['not on the curve', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])],
    ['compressed', Buffer.from(createECDH('prime256v1').generateKeys('hex', 'compressed'), 'hex')],
    ['hybrid', Buffer.from(createECDH('prime256v1').generateKeys('hex', 'hybrid'), 'hex')],
    ['of another curve', createECDH('secp384r1').generateKeys()],
  ])('a point that is %s is an illegal parameter', (_, point) => {
    expect(alertOf(() => new EphemeralKey().agree(point))).toBe(AlertDescription.IllegalParameter);
  });
});

describe('signatures', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const content = [Buffer.from('one'), Buffer.from('two')];
  const signature = sign(privateKey, ...content);

  it('verify over the same bytes, however they are cut', () => {
    expect(() => verify(publicKey, 0x0403, signature, Buffer.from('onetwo'))).not.toThrow();
  });

  it.each([
    ['other bytes', () => verify(publicKey, 0x0403, signature, Buffer.from('one')), AlertDescription.DecryptError],
    ['no signature', () => verify(publicKey, 0x0403, Buffer.alloc(0), ...content), AlertDescription.DecryptError],
    ['no DER', () => verify(publicKey, 0x0403, Buffer.alloc(70, 0xff), ...content), AlertDescription.DecryptError],
    [
      'another key',
      () => verify(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey, 0x0403, signature, ...content),
      AlertDescription.DecryptError,
    ],
    ['another algorithm', () => verify(publicKey, 0x0401, signature, ...content), AlertDescription.IllegalParameter],
  ])('%s are refused', (_, refused, alert) => {
    expect(alertOf(refused)).toBe(alert);
  });
});

describe('raw public keys', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const spki = encodePublicKey(publicKey);

  it('are a SubjectPublicKeyInfo of 91 bytes that is read back, also from the private key', () => {
    expect(spki.length).toBe(91);
    expect(readPublicKey(spki).equals(publicKey)).toBe(true);
    expect(encodePublicKey(createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })))).toEqual(spki);
  });

  it('are refused with a byte more, and at every shorter length', () => {
    expect(alertOf(() => readPublicKey(Buffer.concat([spki, Buffer.alloc(1)])))).toBe(AlertDescription.BadCertificate);
    for (let length = 0; length < spki.length; length += 1) {
      expect(alertOf(() => readPublicKey(spki.subarray(0, length)))).toBe(AlertDescription.BadCertificate);
    }
  });

  it.each([
    ['secp384r1', generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).publicKey],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey],
  ])('of %s are not supported', (_, key) => {
    expect(alertOf(() => readPublicKey(encodePublicKey(key)))).toBe(AlertDescription.UnsupportedCertificate);
  });

  it('with any byte changed are read or refused with an alert', () => {
    for (let at = 0; at < spki.length; at += 1) {
      const changed = Buffer.from(spki);
      changed[at] = changed[at]! ^ 0x41;
      expect(alertOf(() => readPublicKey(changed))).toBeGreaterThan(0);
    }
  });
});

describe('certificates', () => {
  it('are read from DER', () => {
    const { publicKey, subject } = readCertificate(P256_CERTIFICATE);
    expect(subject).toBe('CN=device');
    expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  it.each([
    ['nothing', Buffer.alloc(0), AlertDescription.BadCertificate],
    ['noise', Buffer.alloc(300, 0x30), AlertDescription.BadCertificate],
    [
      'PEM',
      Buffer.from(`-----BEGIN CERTIFICATE-----\n${P256_CERTIFICATE.toString('base64')}\n-----END CERTIFICATE-----\n`),
      AlertDescription.BadCertificate,
    ],
    ['bytes after it', Buffer.concat([P256_CERTIFICATE, Buffer.alloc(1)]), AlertDescription.BadCertificate],
    ['another kind of key', ED25519_CERTIFICATE, AlertDescription.UnsupportedCertificate],
  ])('%s is refused', (_, der, alert) => {
    expect(alertOf(() => readCertificate(der))).toBe(alert);
  });

  it('with any byte changed are read or refused with an alert', () => {
    for (let at = 0; at < P256_CERTIFICATE.length; at += 1) {
      const changed = Buffer.from(P256_CERTIFICATE);
      changed[at] = changed[at]! ^ 0x21;
      try {
        readCertificate(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }
  });
});
