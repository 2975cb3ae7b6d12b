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
  Unauthenticated,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AccountSuspended, OtherAddress } from '../errors.js';
import { KeyLimiter } from '../limits/key-limiter.js';
import { allows, type Permission } from '../permissions.js';
import { clientAddress, type Source, sourceOf } from './client-address.js';
import { GuessLimiter } from './guess-limiter.js';
import { KnownKeys, type LastRead } from './known-keys.js';
import { LastLogins } from './last-logins.js';
import { fingerprintOfProof, proofOf, type VerifiedKey } from './proof.js';
import { Refusals } from './refusals.js';
import { SessionAuthenticator, sessionTokenIn } from './session-authenticator.js';

/** A handshake as the reverse proxy knows it. */
interface Handshake {
  requestId: string;
  /** The declared route. */
  operation: string;
  /** The permission that it needs. */
  needed: Permission;
}

/** The console sends this request before anyone has signed in, so its refusal is not reported to administrators. */
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
    const from = sourceOf(request, this.config.trustedProxies);
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
    const from = sourceOf(request, this.config.trustedProxies);
    const proven = await this.keyOf(parseApiKey(text), from);
    await this.admitVerified(proven, from);
    return proven;
  }

  /**
   * Admits a WebSocket handshake, which counts against the rates of its key like a request. The dispatcher checks the key and
   * answers with a close code; guesses and refusals are counted here in addition. Rejects with RateLimited.
   */
  async admit(handshake: IncomingMessage, { requestId, ...route }: Handshake): Promise<void> {
    const { authorization, 'sec-websocket-protocol': protocols } = handshake.headers;
    const given = parseApiKey(keyTextOfSocket(authorization, protocols) ?? '');
    const from = { address: clientAddress(handshake, this.config.trustedProxies), requestId };
    const last = this.verifiedOf(given, from.address);
    // Not awaited: without PostgreSQL no refusal is counted, but sockets still open.
    const proving = last?.isRecent ? last : this.read(given, from);
    this.recordRefusedHandshake(proving, from, route).catch(() => undefined);
    // A key that this replica does not know yet is read meanwhile, so that its first handshake does not count.
    if (last && !this.obstacleOf(last, from)) await this.limiter.admitRequest(last.key);
  }

  /** Whether a response that stays open may continue: the caller would be admitted again. Rejects without PostgreSQL or the provider. */
  async mayContinue(request: FastifyRequest): Promise<boolean> {
    const token = sessionTokenIn(request.headers, this.config);
    const proven = await (token === undefined ? this.proveAgain(request) : this.sessions.proveAgain(token));
    const from = sourceOf(request, this.config.trustedProxies);
    return proven !== undefined && this.obstacleOf(proven, from) === undefined;
  }

  private async proveAgain({ headers }: FastifyRequest): Promise<VerifiedKey | undefined> {
    const given = parseApiKey(bearerOf(headers.authorization) ?? '');
    const key = given && (await this.known.recent(given.keyId));
    const proof = proofOf(key, given, this.clock.now());
    return key && proof && { key, proof };
  }

  private async admitVerified(proven: VerifiedKey, from: Source): Promise<void> {
    const { key, proof } = proven;
    const obstacle = this.obstacleOf(proven, from);
    if (obstacle) {
      this.recordObstacle(obstacle, proven, from);
      throw obstacle;
    }
    await this.limiter.admitRequest(key);
    this.logins.recordLogin(key.keyId, proof.accessKeyId);
  }

  /** Why a caller that has proven its key is not let in. */
  private obstacleOf({ key }: VerifiedKey, { address }: Source): AccountSuspended | OtherAddress | undefined {
    if (!key.accountActive) return new AccountSuspended();
    return key.sourceAddresses && !isInNetworks(key.sourceAddresses, address) ? new OtherAddress() : undefined;
  }

  private recordObstacle(obstacle: AccountSuspended | OtherAddress, { key }: VerifiedKey, from: Source): void {
    const { accountId, keyId } = key;
    const kind = obstacle instanceof AccountSuspended ? 'unauthenticated' : 'denied';
    this.refusals.recordRefusal({ kind, accountId, keyId, ...from });
  }

  /** `read` has recorded a handshake without a valid key. */
  private async recordRefusedHandshake(
    proving: VerifiedKey | Promise<VerifiedKey>,
    from: Source,
    { needed, operation }: Omit<Handshake, 'requestId'>,
  ): Promise<void> {
    const proven = await proving;
    const { accountId, keyId, permissions } = proven.key;
    const obstacle = this.obstacleOf(proven, from);
    if (obstacle) this.recordObstacle(obstacle, proven, from);
    else if (!allows(permissions, needed))
      this.refusals.recordRefusal({ kind: 'denied', accountId, keyId, operation, ...from });
  }

  private async keyOf(given: ApiKey | undefined, from: Source): Promise<VerifiedKey> {
    const last = this.verifiedOf(given, from.address);
    return last?.isRecent ? last : this.read(given, from);
  }

  /**
   * Verifies the key with what was read last. Known keys keep working from an address that guesses, because a secret that was
   * right then is no guess. Anything else throws RateLimited while the address has to wait.
   */
  private verifiedOf(given: ApiKey | undefined, address: string): (VerifiedKey & LastRead) | undefined {
    const last = given && this.known.last(given.keyId);
    const proof = proofOf(last?.key, given, this.clock.now());
    if (last && proof) return { ...last, proof };
    this.guesses.admit(address, given?.keyId);
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
