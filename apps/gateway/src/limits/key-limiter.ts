import { type Clock, type Metrics, RateLimited } from '@lanyard/service';
import type { LocalRates } from './local-rates.js';
import type { SharedRates } from './shared-rates.js';

/** After Redis did not answer, it is left alone for this time: a stalled Redis must not slow each request. */
const aloneMs = 1_000;

/**
 * The rate of each key. Without Redis each replica counts alone: the limit is then per replica, which refuses a
 * flood and never refuses everybody.
 */
export class KeyLimiter {
  private aloneUntilMs = 0;

  constructor(
    private readonly shared: SharedRates,
    private readonly local: LocalRates,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Throws RateLimited. */
  async take(keyId: string): Promise<void> {
    const waitMs = await this.waitMs(keyId);
    if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000));
  }

  private async waitMs(keyId: string): Promise<number> {
    if (this.clock.now() < this.aloneUntilMs) return this.alone(keyId);
    try {
      return await this.shared.take(keyId);
    } catch {
      this.aloneUntilMs = this.clock.now() + aloneMs;
      return this.alone(keyId);
    }
  }

  private alone(keyId: string): number {
    this.metrics.counter({ name: 'lanyard_gateway_rate_alone_total', help: 'Requests counted without Redis' }).inc();
    return this.local.take(keyId);
  }
}
