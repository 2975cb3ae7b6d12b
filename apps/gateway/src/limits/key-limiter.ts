import { CLOCK, type Clock, CONFIG, Metrics, RateLimited } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountLimits } from '../db/account.entity.js';
import { AccountRates, type Take } from './account-rates.js';
import type { GatewayConfig } from '../config.js';
import { SharedRates } from './shared-rates.js';

/** How long Redis is not asked after it did not answer: a stalled Redis must not delay every request. */
const redisPauseMs = 1_000;

/** Accounts that are counted at a time; beyond it, those whose bucket is full again are forgotten. */
const accountsMax = 10_000;

export interface RateLimitedCaller {
  keyId: string;
  accountId: string;
  limits: AccountLimits;
}

/**
 * Limits the rate of each key and of each account, so that no tenant takes the share of others. Without Redis each
 * replica counts on its own: the limit is then per replica, which refuses a flood and never refuses all requests.
 */
@Injectable()
export class KeyLimiter {
  /** When Redis last did not answer. */
  private redisLostMs = -Infinity;
  private readonly accounts = new Map<string, AccountRates>();

  constructor(
    private readonly shared: SharedRates,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Throws RateLimited. If Redis has to be asked, returns a promise that rejects with RateLimited instead. */
  admitRequest(caller: RateLimitedCaller): void | Promise<void> {
    const takes = this.takesOf(caller);
    // The absolute difference, so that Redis is not left out for longer when the clock is set back.
    if (Math.abs(this.clock.now() - this.redisLostMs) < redisPauseMs)
      return this.mustNotWait(this.countLocally(caller.accountId, takes));
    const waitMs = this.ratesOf(caller.accountId).takeTokens(takes);
    return typeof waitMs === 'number' ? this.mustNotWait(waitMs) : this.admitLater(waitMs, caller.accountId, takes);
  }

  private mustNotWait(waitMs: number): void {
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }

  private async admitLater(sharedWaitMs: Promise<number>, accountId: string, takes: readonly Take[]): Promise<void> {
    const waitMs = await sharedWaitMs.catch(() => {
      this.pauseRedis();
      return this.countLocally(accountId, takes);
    });
    this.mustNotWait(waitMs);
  }

  private takesOf({ keyId, limits }: RateLimitedCaller): Take[] {
    const { keyRate, accountRate } = this.config;
    const perSecond = limits.requests_per_second;
    const ofAccount = perSecond === undefined ? accountRate : { perSecond, burst: perSecond * 2 };
    return [
      { name: 'account', rate: ofAccount },
      { name: keyId, rate: keyRate },
    ];
  }

  private ratesOf(accountId: string): AccountRates {
    const known = this.accounts.get(accountId);
    if (known) return known;
    if (this.accounts.size >= accountsMax)
      for (const [id, rates] of this.accounts) if (rates.isIdle) this.accounts.delete(id);
    const rates = new AccountRates(accountId, this.shared, this.clock, () => this.pauseRedis());
    this.accounts.set(accountId, rates);
    return rates;
  }

  private pauseRedis(): void {
    this.redisLostMs = this.clock.now();
  }

  private countLocally(accountId: string, takes: readonly Take[]): number {
    this.metrics
      .counter({ name: 'lanyard_gateway_rate_limit_local_total', help: 'Requests counted without Redis' })
      .inc();
    return this.ratesOf(accountId).takeLocally(takes);
  }
}
