import type { Clock } from '@lanyard/service';
import type { Rate } from '../config.js';
import { gcra, intervalMs, toleranceMs } from './gcra.js';
import type { SharedRate, SharedRates } from './shared-rates.js';

/** A request to take one from the rate of this name. */
export interface Take {
  name: string;
  rate: Rate;
}

interface Count {
  rate: Rate;
  /**
   * Theoretical arrival time by this replica's clock: of the requests of all replicas when Redis last answered, and of
   * those that passed here since.
   */
  tatMs: number;
  /** Requests that passed here and are not in Redis yet. */
  passed: number;
}

/**
 * Below this share of its burst, a rate is counted here and reported afterwards; above it, every request asks Redis. Four
 * replicas that are flooded at once together admit one burst, and one request more each; every further replica adds a quarter
 * of a burst. Later waits make up for the excess: in the long run the rate is exact.
 */
const shareWithoutAsking = 1 / 4;

/** How long it takes at most until a request that passed here is reported to Redis. */
const reportDelayMs = 50;

/** One replica's view of the rates of an account and its keys. */
export class AccountRates {
  private readonly counts = new Map<string, Count>();
  private isReporting = false;
  /** What the clock said last. */
  private lastMs = -Infinity;

  constructor(
    private readonly accountId: string,
    private readonly shared: SharedRates,
    private readonly clock: Clock,
    private readonly onLost: () => void,
  ) {}

  /** Whether these counts can be forgotten without an effect. */
  get isIdle(): boolean {
    const now = this.nowMs();
    return !this.isReporting && [...this.counts.values()].every(({ tatMs, passed }) => passed === 0 && tatMs <= now);
  }

  /**
   * Takes one from each rate, and returns 0; or takes nothing, and returns how many milliseconds to wait. A promise
   * only if Redis has to be asked; it rejects if Redis does not answer.
   */
  takeTokens(takes: readonly Take[]): number | Promise<number> {
    const now = this.nowMs();
    const counts = takes.map((take) => this.countOf(take));
    const isCalm = counts.every(
      ({ tatMs, rate }) => Math.max(tatMs, now) + intervalMs(rate) - now <= toleranceMs(rate) * shareWithoutAsking,
    );
    if (!isCalm) return this.settleTakes(takes, true);
    for (const count of counts) {
      count.tatMs = Math.max(count.tatMs, now) + intervalMs(count.rate);
      count.passed++;
    }
    this.reportSoon();
    return 0;
  }

  /** Local fallback while Redis is down; not reconciled afterwards. */
  takeLocally(takes: readonly Take[]): number {
    const now = this.nowMs();
    const counts = takes.map((take) => this.countOf(take));
    const verdicts = counts.map(({ tatMs, rate }) => gcra(tatMs, now, rate));
    const waitMs = Math.max(...verdicts.map((verdict) => verdict.waitMs));
    if (waitMs === 0) counts.forEach((count, n) => (count.tatMs = verdicts[n]?.tatMs ?? count.tatMs));
    return waitMs;
  }

  /** If the clock was set back, earlier times move with it: otherwise requests would wait until it has caught up. */
  private nowMs(): number {
    const now = this.clock.now();
    const backMs = this.lastMs - now;
    if (backMs > 0) for (const count of this.counts.values()) count.tatMs -= backMs;
    return (this.lastMs = now);
  }

  private countOf({ name, rate }: Take): Count {
    let count = this.counts.get(name);
    if (!count) this.counts.set(name, (count = { rate, tatMs: 0, passed: 0 }));
    count.rate = rate;
    return count;
  }

  private reportSoon(): void {
    if (this.isReporting) return;
    this.isReporting = true;
    this.clock.after(reportDelayMs, () => {
      this.isReporting = false;
      const now = this.nowMs();
      const unreported: Take[] = [];
      for (const [name, { rate, passed, tatMs }] of this.counts) {
        if (passed > 0) unreported.push({ name, rate });
        else if (tatMs <= now) this.counts.delete(name);
      }
      if (unreported.length > 0) this.settleTakes(unreported, false).catch(this.onLost);
    });
  }

  private async settleTakes(takes: readonly Take[], isTaking: boolean): Promise<number> {
    const counts = takes.map((take) => this.countOf(take));
    const rates = takes.map(({ name, rate }, n): SharedRate => {
      const count = counts[n] as Count;
      const { passed } = count;
      // Not repeated if Redis does not answer: it may have counted them, and twice would refuse what is within the rate.
      count.passed = 0;
      return { name, rate, passed };
    });
    const { waitMs, usedMs } = await this.shared.settleRates(this.accountId, rates, isTaking);
    const now = this.nowMs();
    counts.forEach((count, n) => {
      // The response does not include what passed here meanwhile.
      count.tatMs = now + (usedMs[n] ?? 0) + count.passed * intervalMs(count.rate);
    });
    return waitMs;
  }
}
