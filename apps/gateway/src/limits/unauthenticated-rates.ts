import { CLOCK, type Clock, CONFIG, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig, Rate } from '../config.js';
import { gcra, intervalMs, toleranceMs, type Verdict } from './gcra.js';

export const namesMax = 50_000;

/** How much longer than for one token a name waits at most, after many requests that were checked at the same time. */
export const owedMaxMs = 60_000;

/**
 * Requests without a valid key, by client address, in this replica's memory. Bounded: the least recently used names are
 * forgotten.
 */
@Injectable()
export class UnauthenticatedRates {
  private readonly tats = new Map<string, number>();
  private readonly rate: Rate;

  constructor(
    @Inject(CONFIG) { unauthenticatedRate }: Pick<GatewayConfig, 'unauthenticatedRate'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.rate = unauthenticatedRate;
  }

  /**
   * Takes a token; if none is left, one that will come later. Requests that are checked at the same time were all admitted before
   * the first one failed: without this, a client could send any number of them for each token.
   */
  takeToken(name: string): void {
    const { tatMs, waitMs } = this.verdict(name);
    const owed = Math.min(tatMs + intervalMs(this.rate), this.furthestMs());
    setBounded(this.tats, name, waitMs > 0 ? owed : tatMs, namesMax);
  }

  /** How many milliseconds to wait until a token can be taken. Takes none. */
  waitMs(name: string): number {
    return this.verdict(name).waitMs;
  }

  private furthestMs(): number {
    return this.clock.now() + toleranceMs(this.rate) + owedMaxMs;
  }

  private verdict(name: string): Verdict {
    const tatMs = this.tats.get(name) ?? 0;
    // If the time is further ahead than any request can leave it, the clock was set back.
    return gcra(tatMs <= this.furthestMs() ? tatMs : 0, this.clock.now(), this.rate);
  }
}
