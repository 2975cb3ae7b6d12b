import {
  type ApiKey,
  type Authenticator,
  type Clock,
  fingerprintOf,
  hashSecret,
  type Identity,
  parseApiKey,
  RateLimited,
  secretMatches,
  Unauthenticated,
} from '@lanyard/service';
import type { FastifyRequest } from 'fastify';
import { AccountSuspended } from '../errors.js';
import type { KeyLimiter } from '../limits/key-limiter.js';
import type { LocalRates } from '../limits/local-rates.js';
import type { Backoff } from './backoff.js';
import { clientAddress } from './client-address.js';
import type { KnownKey, KnownKeys } from './known-keys.js';
import type { LastLogins } from './last-logins.js';

/** Compared with when the key does not exist, so that the answer takes the same time. */
const nobodysHash = '0'.repeat(64);

/** Both secrets are compared whatever the first says: the time tells nothing. */
const proves = (key: KnownKey | undefined, given: ApiKey | undefined, nowMs: number): boolean => {
  const secret = given?.secret ?? '';
  const newest = secretMatches(key?.hash ?? nobodysHash, secret);
  const before = secretMatches(key?.previous?.hash ?? nobodysHash, secret);
  if (key === undefined || !key.active || key.accountId !== given?.accountId) return false;
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) return false;
  return newest || (before && key.previous !== undefined && key.previous.untilMs > nowMs);
};

const bearer = /^bearer +(\S+) *$/i;

export interface AuthenticationParts {
  known: KnownKeys;
  limiter: KeyLimiter;
  /** Requests without a valid key, by client address. */
  attempts: LocalRates;
  /** Wrong secrets, by client address and key id. */
  backoff: Backoff;
  logins: LastLogins;
  trustedProxies: number;
  clock: Clock;
}

/** The API key in the Authorization header, and nowhere else (spec §5). */
export class KeyAuthenticator implements Authenticator {
  constructor(private readonly parts: AuthenticationParts) {}

  /** Throws Unauthenticated, AccountSuspended, RateLimited. */
  async authenticate(request: FastifyRequest): Promise<Identity> {
    const given = parseApiKey(bearer.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const key = await this.keyOf(given, clientAddress(request.raw, this.parts.trustedProxies));
    if (!key.accountActive) throw new AccountSuspended();
    await this.parts.limiter.take(key);
    this.parts.logins.note(key.keyId);
    const { keyId, accountId, groups, permissions, tier } = key;
    // Of the secret that came, which need not be the newest.
    const secretFingerprint = fingerprintOf(hashSecret(given?.secret ?? ''));
    return { keyId, accountId, groups, permissions, tier, requestId: request.id, secretFingerprint };
  }

  private async keyOf(given: ApiKey | undefined, address: string): Promise<KnownKey> {
    const nowMs = this.parts.clock.now();
    const recent = given && this.parts.known.recent(given.keyId);
    if (recent && proves(recent, given, nowMs)) return recent;
    const guess = `${address} ${given?.keyId ?? ''}`;
    this.refuseFlood(address, guess);
    // A secret that does not match is looked up too, like an id that nobody has: both take one read.
    const found = given && (await this.parts.known.load(given.keyId));
    if (proves(found, given, nowMs)) {
      this.parts.backoff.succeeded(guess);
      return found as KnownKey;
    }
    this.parts.attempts.take(address);
    if (given) this.parts.backoff.failed(guess);
    throw new Unauthenticated();
  }

  /** Keys already known keep working from an address that guesses. */
  private refuseFlood(address: string, guess: string): void {
    const waitMs = Math.max(this.parts.attempts.waitMs(address), this.parts.backoff.waitMs(guess));
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }
}
