import {
  type Authenticator,
  fingerprintOf,
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
import { clientAddress } from './client-address.js';
import type { KnownKey, KnownKeys } from './known-keys.js';
import type { LastLogins } from './last-logins.js';

/** Compared with when the key does not exist, so that the answer takes the same time. */
const nobodysHash = '0'.repeat(64);

const bearer = /^bearer +(\S+) *$/i;

export interface AuthenticationParts {
  known: KnownKeys;
  limiter: KeyLimiter;
  /** Requests without a valid key, by client address. */
  attempts: LocalRates;
  logins: LastLogins;
  trustedProxies: number;
}

/** The API key in the Authorization header, and nowhere else (spec §5). */
export class KeyAuthenticator implements Authenticator {
  constructor(private readonly parts: AuthenticationParts) {}

  /** Throws Unauthenticated, AccountSuspended, RateLimited. */
  async authenticate(request: FastifyRequest): Promise<Identity> {
    const key = await this.keyOf(request.headers.authorization, clientAddress(request.raw, this.parts.trustedProxies));
    if (!key.accountActive) throw new AccountSuspended();
    await this.parts.limiter.take(key.keyId);
    this.parts.logins.note(key.keyId);
    const { keyId, accountId, groups, permissions, tier, hash } = key;
    const secretFingerprint = fingerprintOf(hash);
    return { keyId, accountId, groups, permissions, tier, requestId: request.id, secretFingerprint };
  }

  private async keyOf(header: string | undefined, address: string): Promise<KnownKey> {
    const given = parseApiKey(bearer.exec(header ?? '')?.[1] ?? '');
    const valid = (key: KnownKey | undefined): boolean => {
      const matches = secretMatches(key?.hash ?? nobodysHash, given?.secret ?? '');
      return matches && key !== undefined && key.active && key.accountId === given?.accountId;
    };
    const recent = given && this.parts.known.recent(given.keyId);
    if (recent && valid(recent)) return recent;
    this.refuseFlood(address);
    // A secret that does not match is looked up too, like an id that nobody has: both take one read.
    const found = given && (await this.parts.known.load(given.keyId));
    if (valid(found)) return found as KnownKey;
    this.parts.attempts.take(address);
    throw new Unauthenticated();
  }

  /** Keys already known keep working from an address that guesses. */
  private refuseFlood(address: string): void {
    const waitMs = this.parts.attempts.waitMs(address);
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }
}
