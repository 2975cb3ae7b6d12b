import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type ApiKey,
  type Authenticator,
  bearerOf,
  CLOCK,
  type Clock,
  CONFIG,
  fingerprintOf,
  type Identity,
  keyTextOfSocket,
  parseApiKey,
  RateLimited,
  secretMatches,
  Unauthenticated,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AccountSuspended } from '../errors.js';
import { KeyLimiter } from '../limits/key-limiter.js';
import { clientAddress } from './client-address.js';
import { GuessLimiter } from './guess-limiter.js';
import type { KnownKey, KnownSecret } from './key-reader.js';
import { KnownKeys, type LastRead } from './known-keys.js';
import { LastLogins } from './last-logins.js';
import { Refusals } from './refusals.js';

/** Compared with if there is no such secret, so that the response takes the same time. */
const dummyHash = '0'.repeat(64);
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

/** The number of comparisons is constant, so that the time reveals nothing. */
const matching = (key: KnownKey | undefined, secret: string): KnownSecret | undefined => {
  const found = Array.from({ length: secretsMax }, (_, n) => {
    const known = key?.secrets[n];
    return secretMatches(known?.hash ?? dummyHash, secret) ? known : undefined;
  }).find((known) => known !== undefined);
  if (found) matched.set(found, { given: Buffer.from(secret), fingerprint: fingerprintOf(found.hash) });
  return found;
};

/** The matching secret. */
const proofOf = (key: KnownKey | undefined, given: ApiKey | undefined, nowMs: number): KnownSecret | undefined => {
  const secret = given?.secret ?? '';
  const found = matchedBefore(key, secret) ?? matching(key, secret);
  if (!key?.active || key.accountId !== given?.accountId) return undefined;
  return found && nowMs < (found.untilMs ?? Infinity) ? found : undefined;
};

/** A key with its matching secret. */
interface Proven {
  key: KnownKey;
  proof: KnownSecret;
}

/** Where a request comes from. */
interface Source {
  address: string;
  requestId?: string;
}

/** Checks the keys of requests, and slows down clients that guess. */
@Injectable()
export class KeyAuthenticator implements Authenticator {
  constructor(
    private readonly known: KnownKeys,
    private readonly limiter: KeyLimiter,
    private readonly guesses: GuessLimiter,
    private readonly logins: LastLogins,
    private readonly refusals: Refusals,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws Unauthenticated, AccountSuspended, RateLimited. */
  async authenticate(request: FastifyRequest): Promise<Identity> {
    const given = parseApiKey(bearerOf(request.headers.authorization) ?? '');
    const address = clientAddress(request.raw, this.config.trustedProxies);
    const { key, proof } = await this.keyOf(given, { address, requestId: request.id });
    if (!key.accountActive) {
      const { accountId, keyId } = key;
      this.refusals.recordRefusal({ kind: 'unauthenticated', accountId, keyId, address, requestId: request.id });
      throw new AccountSuspended();
    }
    await this.limiter.admitRequest(key);
    this.logins.recordLogin(key.keyId, proof.accessKeyId);
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
    const address = clientAddress(handshake, this.config.trustedProxies);
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
    const last = given && this.known.last(given.keyId);
    const proof = proofOf(last?.key, given, this.clock.now());
    if (last && proof) return { ...last, proof };
    const waitMs = this.guesses.waitMs(address, given?.keyId);
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
    return undefined;
  }

  /** A secret that does not match is looked up too, like an unknown id: both take one read. */
  private async read(given: ApiKey | undefined, from: Source): Promise<Proven> {
    const key = given && (await this.known.load(given.keyId));
    const proof = proofOf(key, given, this.clock.now());
    if (key && proof) return { key, proof };
    this.guesses.failed(from.address, given?.keyId);
    // A key id counts only if it exists.
    const refused = { accountId: key?.accountId, ...(key && { keyId: key.keyId }), ...from };
    this.refusals.recordRefusal({ kind: 'unauthenticated', ...refused });
    throw new Unauthenticated();
  }
}
