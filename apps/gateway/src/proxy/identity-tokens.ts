import { CLOCK, type Clock, CONFIG, type Identity, signIdentity } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import type { Upstream } from '../upstreams.js';

/** How long a token is used again; it is valid for 30 s (`identityLifeMs`). */
const usedAgainMs = 5_000;
const tokensMax = 10_000;

interface Signed {
  token: string;
  untilMs: number;
  /** Of the reading of the key: another reading has others. */
  permissions: readonly string[];
}

/**
 * Tokens for the upstreams. Requests that come with one secret of a key for one upstream in some seconds share one
 * signature, which takes more time than all else that the gateway does with a request.
 */
@Injectable()
export class IdentityTokens {
  private readonly signed = new Map<string, Signed>();

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  of(identity: Identity, upstream: Upstream): string {
    const now = this.clock.now();
    const name = upstream + identity.keyId + (identity.secretFingerprint ?? '');
    const before = this.signed.get(name);
    if (before && before.permissions === identity.permissions && before.untilMs > now) return before.token;
    const { permissions } = identity;
    const token = this.sign(identity, upstream);
    this.signed.delete(name);
    this.signed.set(name, { token, untilMs: now + usedAgainMs, permissions });
    const [oldest] = this.signed.keys();
    if (this.signed.size > tokensMax && oldest !== undefined) this.signed.delete(oldest);
    return token;
  }

  /** A token that is not kept: for what the gateway asks on behalf of a caller. */
  sign(identity: Identity, upstream: Upstream): string {
    return signIdentity(identity, upstream, this.config.secrets.identityKey, this.clock.now());
  }
}
