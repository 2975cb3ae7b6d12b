import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `ak_1` + account id (32) + key id (32) + secret (32): the last 32 characters are the secret part (spec §2.11). Access
 * keys of applications begin with `ak_2` and have the id of the application in the place of the key id: all access keys
 * of an application are secrets of the same thing.
 */
const pattern = /^(ak_[12])([0-9a-f]{32})([0-9a-f]{32})([0-9A-Za-z]{32})$/;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;

export type KeyPrefix = 'ak_1' | 'ak_2';

export interface ApiKey {
  prefix: KeyPrefix;
  accountId: string;
  keyId: string;
  secret: string;
}

const base62 = (value: number): string => {
  let text = '';
  for (let rest = value; text.length < checksumLength; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text;
  return text;
};

/** Lets secret scanners and clients recognise a key without asking the service. */
const checksum = (text: string): string => base62(crc32(text));

const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The text of a key without its secret part: what lists show. */
export const publicPart = (accountId: string, keyId: string, prefix: KeyPrefix = 'ak_1'): string =>
  `${prefix}${accountId}${keyId}`;

export const formatApiKey = (key: Omit<ApiKey, 'prefix'> & Partial<ApiKey>): string =>
  publicPart(key.accountId, key.keyId, key.prefix) + key.secret;

export const newSecret = (accountId: string, keyId: string, prefix: KeyPrefix = 'ak_1'): string => {
  const random = randomText(32 - checksumLength);
  return random + checksum(publicPart(accountId, keyId, prefix) + random);
};

/** undefined for anything that is not the text of a key: wrong form or wrong checksum. */
export const parseApiKey = (text: string): ApiKey | undefined => {
  const match = pattern.exec(text);
  if (!match || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  const [, prefix, accountId, keyId, secret] = match as unknown as [string, KeyPrefix, string, string, string];
  return { prefix, accountId, keyId, secret };
};

/** SHA-256 in hex. A secret has 154 random bits, so a slow hash would add nothing. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A fingerprint that distinguishes secrets but does not verify them: SHA-256 in hex of the stored hash. */
export const fingerprintOf = (hash: string): string => createHash('sha256').update(hash).digest('hex');

/** Whether the secret has this hash (`hashSecret`), compared in constant time. */
export const secretMatches = (hash: string, secret: string): boolean => {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(hash);
  return given.length === stored.length && timingSafeEqual(given, stored);
};
