import type { Clock } from '@lanyard/service';

/** Keys whose last time is remembered; the oldest makes room. */
const rememberedMax = 10_000;

/** What is told of the same thing at most once in a while, however often it happens. */
export class Throttle {
  private readonly lastMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly periodMs: number,
  ) {}

  /** Whether it is told this time. */
  isDue(key: string): boolean {
    const nowMs = this.clock.now();
    const last = this.lastMs.get(key);
    if (last !== undefined && nowMs - last < this.periodMs) return false;
    this.lastMs.delete(key);
    this.lastMs.set(key, nowMs);
    if (this.lastMs.size > rememberedMax) this.lastMs.delete(this.lastMs.keys().next().value as string);
    return true;
  }

  /** It could not be told. */
  undo(key: string): void {
    this.lastMs.delete(key);
  }
}
