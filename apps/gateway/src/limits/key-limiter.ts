import { type Clock, type Metrics, RateLimited } from '@lanyard/service';
import type { AccountLimits } from '../access/account.entity.js';
import type { Rate } from './gcra.js';
import type { LocalRates } from './local-rates.js';
import type { SharedRates, Take } from './shared-rates.js';

/** After Redis did not answer, it is left alone for this time: a stalled Redis must not slow each request. */
const aloneMs = 1_000;

/** Whose request it is. */
export interface Payer {
  keyId: string;
  accountId: string;
  limits: AccountLimits;
}

export interface LimiterParts {
  shared: SharedRates;
  local: LocalRates;
  keyRate: Rate;
  /** Of all keys of an account together, when the account has no quota of its own. */
  accountRate: Rate;
  clock: Clock;
  metrics: Metrics;
}

/**
 * The rate of each key, and of all keys of an account together: no tenant takes the others' share. Without Redis each
 * replica counts alone: the limit is then per replica, which refuses a flood and never refuses everybody.
 */
export class KeyLimiter {
  private aloneUntilMs = 0;

  constructor(private readonly parts: LimiterParts) {}

  /** Throws RateLimited. */
  async take(payer: Payer): Promise<void> {
    const waitMs = await this.waitMs(payer.accountId, this.takesOf(payer));
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }

  private takesOf({ keyId, limits }: Payer): Take[] {
    const { keyRate, accountRate } = this.parts;
    const perSecond = limits.requests_per_second;
    const ofAccount = perSecond === undefined ? accountRate : { perSecond, burst: perSecond * 2 };
    return [
      { name: 'account', rate: ofAccount },
      { name: keyId, rate: keyRate },
    ];
  }

  private async waitMs(accountId: string, takes: readonly Take[]): Promise<number> {
    const { shared, clock } = this.parts;
    if (clock.now() < this.aloneUntilMs) return this.alone(accountId, takes);
    try {
      return await shared.take(accountId, takes);
    } catch {
      this.aloneUntilMs = clock.now() + aloneMs;
      return this.alone(accountId, takes);
    }
  }

  private alone(accountId: string, takes: readonly Take[]): number {
    const { local, metrics } = this.parts;
    metrics.counter({ name: 'lanyard_gateway_rate_alone_total', help: 'Requests counted without Redis' }).inc();
    const waits = takes.map(({ name, rate }) => local.take(`${accountId}:${name}`, rate));
    return Math.max(...waits);
  }
}
