import { type Clock, setBounded } from '@lanyard/service';

/** Keys that are remembered; the oldest is evicted. */
const rememberedMax = 10_000;

/** Limits reports about the same key to one per period. */
export class Throttle {
  private readonly lastMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly periodMs: number,
  ) {}

  isDue(key: string): boolean {
    const nowMs = this.clock.now();
    const last = this.lastMs.get(key);
    // The absolute difference, so that no report is withheld for longer when the clock is set back.
    if (last !== undefined && Math.abs(nowMs - last) < this.periodMs) return false;
    setBounded(this.lastMs, key, nowMs, rememberedMax);
    return true;
  }

  /** For a report that failed: the next one is due at once. */
  undo(key: string): void {
    this.lastMs.delete(key);
  }
}
