import { setBounded } from '@lanyard/service';
import type { Clock } from '@lanyard/service';
import type { Rate } from '../config.js';
import { gcra, intervalMs, toleranceMs, type Verdict } from './gcra.js';

const namesMax = 50_000;

/** Rates of many names, in this replica's memory. Bounded: the least recently used names are forgotten. */
export class LocalRates {
  private readonly tats = new Map<string, number>();

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
    private readonly namesBound = namesMax,
  ) {}

  /** Takes a token and returns 0, or returns how many milliseconds to wait. */
  takeToken(name: string): number {
    const { tatMs, waitMs } = this.verdict(name);
    setBounded(this.tats, name, tatMs, this.namesBound);
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
