import { CLOCK, type Clock, CONFIG, type Identity, setBounded, signIdentity } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import type { Upstream } from '../upstreams.js';

/** How long a token is reused; it is valid for 30 s (`identityLifeMs`). */
const usedAgainMs = 5_000;
const tokensMax = 10_000;

interface Signed {
  token: string;
  untilMs: number;
  /** Compared by identity: another read of the key has another array, and therefore another token. */
  permissions: readonly string[];
}

/**
 * Tokens for the upstreams. Requests that come with one secret of a key for one upstream in some seconds share one
 * signature, because signing takes longer than everything else that the gateway does for a request.
 */
@Injectable()
export class IdentityTokens {
  private readonly signed = new Map<string, Signed>();

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  tokenFor(identity: Identity, upstream: Upstream): string {
    const now = this.clock.now();
    const name = upstream + identity.keyId + (identity.secretFingerprint ?? '');
    const before = this.signed.get(name);
    if (before && before.permissions === identity.permissions && before.untilMs > now) return before.token;
    const { permissions } = identity;
    const token = this.sign(identity, upstream);
    setBounded(this.signed, name, { token, untilMs: now + usedAgainMs, permissions }, tokensMax);
    return token;
  }

  /** A token that is not cached, for the gateway's own requests on behalf of a caller. */
  sign(identity: Identity, upstream: Upstream): string {
    return signIdentity(identity, upstream, this.config.secrets.identityKey, this.clock.now());
  }
}
