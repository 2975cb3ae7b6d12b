import type { IncomingMessage } from 'node:http';
import {
  type ApiKey,
  type Authenticator,
  bearerOf,
  CLOCK,
  type Clock,
  CONFIG,
  type Identity,
  isInNetworks,
  keyTextOfSocket,
  parseApiKey,
  RateLimited,
  Unauthenticated,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AccountSuspended, OtherAddress } from '../errors.js';
import { KeyLimiter } from '../limits/key-limiter.js';
import { clientAddress } from './client-address.js';
import { GuessLimiter } from './guess-limiter.js';
import { KnownKeys, type LastRead } from './known-keys.js';
import { LastLogins } from './last-logins.js';
import { fingerprintOfProof, proofOf, type VerifiedKey } from './proof.js';
import { Refusals } from './refusals.js';
import { SessionAuthenticator, sessionTokenIn } from './session-authenticator.js';
import type { Source } from './source.js';

/** The console asks who is signed in before anyone is: nothing that an administrator has to hear of. */
const asksWhoIsSignedIn = ({ method, headers, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' && headers.authorization === undefined && routeOptions.url === '/v3/session';

/** Checks the keys and sessions of requests, and slows down clients that guess. */
@Injectable()
export class KeyAuthenticator implements Authenticator {
  constructor(
    private readonly known: KnownKeys,
    private readonly sessions: SessionAuthenticator,
    private readonly limiter: KeyLimiter,
    private readonly guesses: GuessLimiter,
    private readonly logins: LastLogins,
    private readonly refusals: Refusals,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws Unauthenticated, AccountSuspended, RateLimited; with a session also what SessionAuthenticator throws. */
  async authenticate(request: FastifyRequest): Promise<Identity> {
    const from = this.sourceOf(request);
    const token = sessionTokenIn(request.headers, this.config);
    if (token === undefined && asksWhoIsSignedIn(request)) throw new Unauthenticated();
    const proven =
      token === undefined
        ? await this.keyOf(parseApiKey(bearerOf(request.headers.authorization) ?? ''), from)
        : await this.sessions.prove(token, request, from);
    await this.admitVerified(proven, from);
    const { keyId, accountId, groups, permissions, deviceGroups, tier } = proven.key;
    const secretFingerprint = fingerprintOfProof(proven.proof);
    const requestId = request.id;
    const rights = { groups, permissions, ...(deviceGroups && { deviceGroups }) };
    return { keyId, accountId, ...rights, tier, requestId, secretFingerprint };
  }

  /** The key of a sign-in; throws what `authenticate` throws. */
  async proveKey(text: string, request: FastifyRequest): Promise<VerifiedKey> {
    const from = this.sourceOf(request);
    const proven = await this.keyOf(parseApiKey(text), from);
    await this.admitVerified(proven, from);
    return proven;
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
    if (!this.verifiedOf(given, address)) this.read(given, { address }).catch(() => undefined);
  }

  private sourceOf({ raw, id }: FastifyRequest): Source {
    return { address: clientAddress(raw, this.config.trustedProxies), requestId: id };
  }

  private async admitVerified({ key, proof }: VerifiedKey, from: Source): Promise<void> {
    const { accountId, keyId } = key;
    if (!key.accountActive) {
      this.refusals.recordRefusal({ kind: 'unauthenticated', accountId, keyId, ...from });
      throw new AccountSuspended();
    }
    if (key.sourceAddresses && !isInNetworks(key.sourceAddresses, from.address)) {
      this.refusals.recordRefusal({ kind: 'denied', accountId, keyId, ...from });
      throw new OtherAddress();
    }
    await this.limiter.admitRequest(key);
    this.logins.recordLogin(keyId, proof.accessKeyId);
  }

  private async keyOf(given: ApiKey | undefined, from: Source): Promise<VerifiedKey> {
    const last = this.verifiedOf(given, from.address);
    return last?.isRecent ? last : this.read(given, from);
  }

  /**
   * By what was read last. Keys already known keep working from an address that guesses: what was right then is no
   * guess. Anything else throws RateLimited while the address has to wait.
   */
  private verifiedOf(given: ApiKey | undefined, address: string): (VerifiedKey & LastRead) | undefined {
    const last = given && this.known.last(given.keyId);
    const proof = proofOf(last?.key, given, this.clock.now());
    if (last && proof) return { ...last, proof };
    const waitMs = this.guesses.waitMs(address, given?.keyId);
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
    return undefined;
  }

  /** A secret that does not match is looked up too, like an unknown id: both take one read. */
  private async read(given: ApiKey | undefined, from: Source): Promise<VerifiedKey> {
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
