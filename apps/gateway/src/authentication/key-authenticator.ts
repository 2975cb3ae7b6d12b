import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type ApiKey,
  type Authenticator,
  bearerOf,
  type Clock,
  fingerprintOf,
  type Identity,
  keyTextOfSocket,
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
import type { KnownKey, KnownKeys, KnownSecret, LastRead } from './known-keys.js';
import type { LastLogins } from './last-logins.js';
import type { Refusals } from './refusals.js';

/** Compared with when there is no such secret, so that the answer takes the same time. */
const nobodysHash = '0'.repeat(64);
const secretsMax = 2;

/** The secrets that matched, cached until the key is read again, so that not every request computes a hash. */
const matched = new WeakMap<KnownSecret, { given: Buffer; fingerprint: string }>();

const matchedBefore = (key: KnownKey | undefined, secret: string): KnownSecret | undefined => {
  const given = Buffer.from(secret);
  return key?.secrets.find((known) => {
    const before = matched.get(known)?.given;
    return before?.length === given.length && timingSafeEqual(before, given);
  });
};

/** As many are compared whatever is known and whatever matches: the time tells nothing. */
const matching = (key: KnownKey | undefined, secret: string): KnownSecret | undefined => {
  const found = Array.from({ length: secretsMax }, (_, n) => {
    const known = key?.secrets[n];
    return secretMatches(known?.hash ?? nobodysHash, secret) ? known : undefined;
  }).find((known) => known !== undefined);
  if (found) matched.set(found, { given: Buffer.from(secret), fingerprint: fingerprintOf(found.hash) });
  return found;
};

/** The secret that proves the key. */
const proofOf = (key: KnownKey | undefined, given: ApiKey | undefined, nowMs: number): KnownSecret | undefined => {
  const secret = given?.secret ?? '';
  const found = matchedBefore(key, secret) ?? matching(key, secret);
  if (!key?.active || key.accountId !== given?.accountId) return undefined;
  return found && nowMs < (found.untilMs ?? Infinity) ? found : undefined;
};

/** A key with the secret that proves it. */
interface Proven {
  key: KnownKey;
  proof: KnownSecret;
}

/** Where a request comes from. */
interface Source {
  address: string;
  requestId?: string;
}

/** Back-off key: client address and key id. */
const guessOf = (given: ApiKey | undefined, address: string): string => `${address} ${given?.keyId ?? ''}`;

export interface AuthenticationParts {
  known: KnownKeys;
  limiter: KeyLimiter;
  /** Requests without a valid key, by client address. */
  attempts: LocalRates;
  /** Wrong secrets, by client address and key id. */
  backoff: Backoff;
  logins: LastLogins;
  refusals: Refusals;
  trustedProxies: number;
  clock: Clock;
}

/** Checks the keys of requests, and slows those who guess. */
export class KeyAuthenticator implements Authenticator {
  constructor(private readonly parts: AuthenticationParts) {}

  /** Throws Unauthenticated, AccountSuspended, RateLimited. */
  async authenticate(request: FastifyRequest): Promise<Identity> {
    const given = parseApiKey(bearerOf(request.headers.authorization) ?? '');
    const address = clientAddress(request.raw, this.parts.trustedProxies);
    const { key, proof } = await this.keyOf(given, { address, requestId: request.id });
    if (!key.accountActive) {
      const { accountId, keyId } = key;
      this.parts.refusals.note({ kind: 'unauthenticated', accountId, keyId, address, requestId: request.id });
      throw new AccountSuspended();
    }
    await this.parts.limiter.take(key);
    this.parts.logins.note(key.keyId, proof.accessKeyId);
    const { keyId, accountId, groups, permissions, tier } = key;
    const secretFingerprint = matched.get(proof)?.fingerprint ?? fingerprintOf(proof.hash);
    return { keyId, accountId, groups, permissions, tier, requestId: request.id, secretFingerprint };
  }

  /**
   * Of a handshake, whose key the dispatcher checks and answers with a close code: guesses are counted here, beside it.
   * Throws RateLimited.
   */
  admit(handshake: IncomingMessage): void {
    const { authorization, 'sec-websocket-protocol': protocols } = handshake.headers;
    const given = parseApiKey(keyTextOfSocket(authorization, protocols) ?? '');
    const address = clientAddress(handshake, this.parts.trustedProxies);
    // Without PostgreSQL nothing is counted, and sockets open.
    if (!this.provenOf(given, address)) this.read(given, { address }).catch(() => undefined);
  }

  private async keyOf(given: ApiKey | undefined, from: Source): Promise<Proven> {
    const last = this.provenOf(given, from.address);
    return last?.isRecent ? last : this.read(given, from);
  }

  /**
   * By what was read last. Keys already known keep working from an address that guesses: what was right then is no
   * guess. Anything else throws RateLimited while the address has to wait.
   */
  private provenOf(given: ApiKey | undefined, address: string): (Proven & LastRead) | undefined {
    const last = given && this.parts.known.last(given.keyId);
    const proof = proofOf(last?.key, given, this.parts.clock.now());
    if (last && proof) return { ...last, proof };
    const { attempts, backoff } = this.parts;
    const waitMs = Math.max(attempts.waitMs(address), backoff.waitMs(guessOf(given, address)));
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
    return undefined;
  }

  /** A secret that does not match is looked up too, like an id that nobody has: both take one read. */
  private async read(given: ApiKey | undefined, from: Source): Promise<Proven> {
    const key = given && (await this.parts.known.load(given.keyId));
    const proof = proofOf(key, given, this.parts.clock.now());
    if (key && proof) return { key, proof };
    const { attempts, backoff, refusals } = this.parts;
    attempts.take(from.address);
    if (given) backoff.failed(guessOf(given, from.address));
    // What the client names counts only when it exists.
    refusals.note({ kind: 'unauthenticated', accountId: key?.accountId, ...(key && { keyId: key.keyId }), ...from });
    throw new Unauthenticated();
  }
}
