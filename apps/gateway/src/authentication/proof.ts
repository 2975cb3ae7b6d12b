import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, fingerprintOf, secretMatches } from '@lanyard/service';
import type { KnownKey, KnownSecret } from './key-reader.js';

/** The hash to compare with if there is no such secret, so that the response takes the same time. */
const dummyHash = '0'.repeat(64);
const secretsMax = 2;

export interface VerifiedKey {
  key: KnownKey;
  proof: KnownSecret;
}

/** The secrets that matched, cached until the key is read again, so that not every request computes a hash. */
const matched = new WeakMap<KnownSecret, { given: Buffer; fingerprint: string }>();

const matchedBefore = (key: KnownKey | undefined, secret: string): KnownSecret | undefined => {
  const given = Buffer.from(secret);
  return key?.secrets.find((known) => {
    const before = matched.get(known)?.given;
    return before?.length === given.length && timingSafeEqual(before, given);
  });
};

/** The number of comparisons is constant, so that the time reveals nothing. */
const matching = (key: KnownKey | undefined, secret: string): KnownSecret | undefined => {
  const found = Array.from({ length: secretsMax }, (_, n) => {
    const known = key?.secrets[n];
    return secretMatches(known?.hash ?? dummyHash, secret) ? known : undefined;
  }).find((known) => known !== undefined);
  if (found) matched.set(found, { given: Buffer.from(secret), fingerprint: fingerprintOf(found.hash) });
  return found;
};

const isValid = ({ untilMs }: KnownSecret, nowMs: number): boolean => nowMs < (untilMs ?? Infinity);

/**
 * The secret of the key that the caller has presented. undefined if it has presented another one, if the secret is no
 * longer valid, or if the key is unknown or inactive.
 */
export const proofOf = (
  key: KnownKey | undefined,
  given: ApiKey | undefined,
  nowMs: number,
): KnownSecret | undefined => {
  const secret = given?.secret ?? '';
  const found = matchedBefore(key, secret) ?? matching(key, secret);
  if (!key?.active || key.accountId !== given?.accountId) return undefined;
  return found && isValid(found, nowMs) ? found : undefined;
};

/** The secret with this hash, if it still proves the key. */
export const proofByHash = (key: KnownKey | undefined, hash: string, nowMs: number): KnownSecret | undefined => {
  if (!key?.active) return undefined;
  const found = key.secrets.find((secret) => secret.hash === hash);
  return found && isValid(found, nowMs) ? found : undefined;
};

export const fingerprintOfProof = (proof: KnownSecret): string =>
  matched.get(proof)?.fingerprint ?? fingerprintOf(proof.hash);
