import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../ids.js';
import { type ApiKey, formatApiKey, hashSecret, newSecret, parseApiKey, publicPart, secretMatches } from './api-key.js';
import { open, seal } from './sealed.js';

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
