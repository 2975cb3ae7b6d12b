import type { IncomingHttpHeaders } from 'node:http';
import { bearerOf, CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import type { Session } from '../db/session.entity.js';
import { SessionEnded } from '../errors.js';
import type { Source } from './client-address.js';
import { GuessLimiter } from './guess-limiter.js';
import type { KnownKey, KnownSecret } from './key-reader.js';
import { KnownKeys } from './known-keys.js';
import { type OriginConfig, requireSameOriginWrite } from './origin.js';
import { proofByHash, type VerifiedKey } from './proof.js';
import { Refusals } from './refusals.js';
import { sessionTokenOf, sessionTokenOfBearer } from './session-cookie.js';
import { type Renew, Sessions } from './sessions.js';

/** The part of a request that matters for a session. */
interface WithHeaders {
  method: string;
  headers: IncomingHttpHeaders;
}

/** The token of a request that relies on a session: the Authorization header takes precedence over the cookie. */
export const sessionTokenIn = (headers: IncomingHttpHeaders, config: OriginConfig): string | undefined =>
  headers.authorization === undefined
    ? sessionTokenOf(headers, config)
    : sessionTokenOfBearer(bearerOf(headers.authorization));

/** Checks the session cookies of requests. A session has the rights that its key has now, and ends with the key's secret. */
@Injectable()
export class SessionAuthenticator {
  constructor(
    private readonly sessions: Sessions,
    private readonly keys: KnownKeys,
    private readonly guesses: GuessLimiter,
    private readonly refusals: Refusals,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** How sessions of an OpenID provider are renewed; set by the module that knows it. */
  renewal: Renew | undefined;

  /** Throws OtherOrigin, RequestedWithMissing, RateLimited, SessionEnded. */
  async prove(token: string, { method, headers }: WithHeaders, from: Source): Promise<VerifiedKey> {
    // A browser adds no Authorization header by itself.
    if (headers.authorization === undefined) requireSameOriginWrite(method, headers, this.config);
    // Known sessions keep working from an address that guesses.
    if (!this.sessions.isKnown(token)) this.guesses.admit(from.address);
    const { key, proof } = await this.read(token);
    if (key && proof) return { key, proof };
    this.guesses.failed(from.address);
    const principal = key && { accountId: key.accountId, keyId: key.keyId };
    this.refusals.recordRefusal({ kind: 'unauthenticated', accountId: undefined, ...principal, ...from });
    throw new SessionEnded();
  }

  /**
   * Checks the session of a response that stays open, which counts as use of the session. undefined: the session has
   * ended. Rejects without PostgreSQL or the provider.
   */
  async proveAgain(token: string): Promise<VerifiedKey | undefined> {
    const { key, proof } = await this.read(token);
    return key && proof && { key, proof };
  }

  /** Rejects without PostgreSQL or the provider. */
  private async read(token: string): Promise<{ key: KnownKey | undefined; proof: KnownSecret | undefined }> {
    const session = await this.liveSession(token);
    const key = session && (await this.keys.recent(session.principalId));
    const proof = session && proofByHash(key, session.secretHash, this.clock.now());
    return { key, proof };
  }

  private async liveSession(token: string): Promise<Session | undefined> {
    const session = token === '' ? undefined : await this.sessions.find(token);
    if (!session?.refreshAt || session.refreshAt.getTime() > this.clock.now()) return session;
    return this.renewal && (await this.sessions.renew(session, token, this.renewal)) ? session : undefined;
  }
}
