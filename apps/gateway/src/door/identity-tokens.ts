import { type Clock, type Identity, signIdentity } from '@lanyard/service';

/** How long a token is used again; it is valid for 30 s (`identityLifeMs`). */
const usedAgainMs = 5_000;
const tokensMax = 10_000;

interface Signed {
  token: string;
  untilMs: number;
  /** Of the reading of the key: another reading has others. */
  permissions: readonly string[];
}

/** Tokens for the owners. Requests that come with one secret of a key in some seconds go on with one signature. */
export class IdentityTokens {
  private readonly signed = new Map<string, Signed>();

  constructor(
    private readonly secrets: readonly string[],
    private readonly clock: Clock,
  ) {}

  of(identity: Identity): string {
    const now = this.clock.now();
    const name = identity.keyId + (identity.secretFingerprint ?? '');
    const before = this.signed.get(name);
    if (before && before.permissions === identity.permissions && before.untilMs > now) return before.token;
    const { permissions } = identity;
    const token = signIdentity(identity, this.secrets, now);
    this.signed.delete(name);
    this.signed.set(name, { token, untilMs: now + usedAgainMs, permissions });
    const [oldest] = this.signed.keys();
    if (this.signed.size > tokensMax && oldest !== undefined) this.signed.delete(oldest);
    return token;
  }
}
