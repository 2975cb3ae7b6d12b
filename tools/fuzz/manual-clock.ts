import type { DtlsClock } from '@lanyard/dtls';

/** A clock that advances only on demand. */
export class ManualClock implements DtlsClock {
  private now = 0;
  private readonly intervals = new Set<{ everyMs: number; nextMs: number; run: () => void }>();

  nowMs() {
    return this.now;
  }

  every(everyMs: number, run: () => void) {
    const interval = { everyMs, nextMs: this.now + everyMs, run };
    this.intervals.add(interval);
    return { stop: () => void this.intervals.delete(interval) };
  }

  /** Each interval runs at most once, at the end of the step. */
  advance(ms: number) {
    this.now += ms;
    for (const interval of [...this.intervals]) {
      if (interval.nextMs > this.now) continue;
      interval.nextMs = this.now + interval.everyMs;
      interval.run();
    }
  }
}
