import { CLOCK, type Clock, CONFIG, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig, Rate } from '../config.js';
import { gcra, intervalMs, toleranceMs, type Verdict } from './gcra.js';

export const namesMax = 50_000;

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

  /** Takes a token and returns 0, or returns how many milliseconds to wait. */
  takeToken(name: string): number {
    const { tatMs, waitMs } = this.verdict(name);
    setBounded(this.tats, name, tatMs, namesMax);
    return waitMs;
  }

  /** How many milliseconds to wait until a token can be taken. Takes none. */
  waitMs(name: string): number {
    return this.verdict(name).waitMs;
  }

  private verdict(name: string): Verdict {
    const now = this.clock.now();
    const tatMs = this.tats.get(name) ?? 0;
    // If the time is further ahead than any request can leave it, the clock was set back.
    const isPossible = tatMs <= now + toleranceMs(this.rate) + intervalMs(this.rate);
    return gcra(isPossible ? tatMs : 0, now, this.rate);
  }
}
