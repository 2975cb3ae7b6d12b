import { createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../ids.js';
import { type ApiKey, formatApiKey, hashSecret, newSecret, parseApiKey, publicPart, secretMatches } from './api-key.js';
import {
  deriveKey,
  deriveKeys,
  encryptionKeyId,
  open,
  openFor,
  reseal,
  seal,
  sealFor,
  UnknownEncryptionKey,
} from './sealed.js';

const newKey = (): ApiKey => {
  const [accountId, keyId] = [newId(), newId()];
  return { prefix: 'ak_1', accountId, keyId, secret: newSecret(accountId, keyId) };
};

describe('API key', () => {
  it('round trip; the last 32 characters are the secret part', () => {
    const key = newKey();
    const text = formatApiKey(key);
    expect(text.slice(-32)).toBe(key.secret);
    expect(text).toBe(publicPart(key.accountId, key.keyId) + key.secret);
    expect(parseApiKey(text)).toEqual(key);
  });

  it('an access key has a prefix of its own, and its secret fits no other', () => {
    const [accountId, keyId] = [newId(), newId()];
    const secret = newSecret(accountId, keyId, 'ak_2');
    const text = formatApiKey({ prefix: 'ak_2', accountId, keyId, secret });
    expect(parseApiKey(text)).toEqual({ prefix: 'ak_2', accountId, keyId, secret });
    expect(parseApiKey(formatApiKey({ accountId, keyId, secret }))).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['another prefix', 'ak_3'],
    ['short', 'ak_1abc'],
  ])('refuses %s', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('refuses a changed character anywhere: the checksum is over the whole key', () => {
    const text = formatApiKey(newKey());
    for (let i = 4; i < text.length; i++) {
      const changed = text.slice(0, i) + (text[i] === '1' ? '2' : '1') + text.slice(i + 1);
      expect(parseApiKey(changed)).toBeUndefined();
    }
  });

  it('compares by hash', () => {
    const { secret } = newKey();
    expect(secretMatches(hashSecret(secret), secret)).toBe(true);
    expect(secretMatches(hashSecret(secret), `${secret.slice(0, -1)}!`)).toBe(false);
    expect(secretMatches('', secret)).toBe(false);
  });
});

describe('several encryption keys', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];

  it('the first seals and says so, all open', () => {
    const before = seal(old, 'secret');
    expect(before).not.toContain('.');
    const sealed = seal([fresh, old], 'secret');
    expect(sealed.startsWith(`${encryptionKeyId(fresh)}.`)).toBe(true);
    for (const text of [before, sealed]) {
      expect(open([fresh, old], text)).toBe('secret');
      expect(open([old, fresh], text)).toBe('secret');
    }
  });

  it('what was sealed with another key is sealed again, and nothing else', () => {
    for (const before of [seal(old, 'secret'), seal([old, fresh], 'secret')]) {
      const after = reseal([fresh, old], before) as string;
      expect(open(fresh, after)).toBe('secret');
      expect(reseal([fresh, old], after)).toBeUndefined();
      expect(reseal([fresh], after)).toBeUndefined();
    }
    expect(reseal([fresh, old], seal(fresh, 'secret'))).toBeUndefined();
  });

  it('names a key that is gone', () => {
    const sealed = seal([old, fresh], 'secret');
    expect(() => open([fresh], sealed)).toThrow(UnknownEncryptionKey);
    expect(() => reseal([fresh], sealed)).toThrow(encryptionKeyId(old));
    expect(() => open([fresh], seal(old, 'secret'))).toThrow();
  });
});

describe('sealed secrets', () => {
  it('open only with the key that sealed them, and only unchanged', () => {
    const key = randomBytes(32);
    const sealed = seal(key, 'Bearer ü');
    expect(open(key, sealed)).toBe('Bearer ü');
    expect(() => open(randomBytes(32), sealed)).toThrow();
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
    expect(() => open(key, bytes.toString('base64'))).toThrow();
  });
});

/** What is stored and announced has to open with later versions. */
describe('the format of sealed secrets', () => {
  // Bytes above 0x7f would be others in UTF-8.
  const key = Buffer.from(Array.from({ length: 32 }, (_, n) => 0xe0 + n));

  it('is base64 of nonce, tag and ciphertext of AES-256-GCM', () => {
    const bytes = Buffer.from(seal(key, 'Bearer ü'), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
    expect(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()).toBe('Bearer ü');
  });

  it('keys of purposes are HMAC-SHA256, and the id of a key is the beginning of its SHA-256', () => {
    expect(deriveKey(key, 'one')).toEqual(createHmac('sha256', key).update('one').digest());
    expect(encryptionKeyId(key)).toBe(createHash('sha256').update(key).digest('hex').slice(0, 8));
  });
});

describe('what is sealed for a purpose', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const bytes = randomBytes(100);

  it('opens for that purpose only, unchanged, with any of the keys', () => {
    const sealed = sealFor(old, 'one', bytes);
    expect(openFor([fresh, old], 'one', sealed)).toEqual(bytes);
    expect(() => openFor(old, 'another', sealed)).toThrow();
    expect(() => openFor(fresh, 'one', sealed)).toThrow(UnknownEncryptionKey);
    expect(() => openFor(old, 'one', sealed.slice(0, -8) + 'AAAAAAA=')).toThrow();
    expect(() => open(old, sealed)).toThrow();
  });

  it('keys of purposes differ, and name what they come from', () => {
    const [first, second] = deriveKeys([fresh, old], 'one');
    expect([first?.id, second?.id]).toEqual([encryptionKeyId(fresh), encryptionKeyId(old)]);
    const all = [first, second, ...deriveKeys([fresh, old], 'two')].map((one) => one?.key.toString('hex'));
    expect(new Set([...all, fresh.toString('hex')]).size).toBe(5);
  });
});
