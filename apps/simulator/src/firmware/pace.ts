import { type TimerWheel } from '@lanyard/coap';

/** Shorter waits are added up until they reach this. */
const waitMinMs = 50;

/** Slows a download down to a rate. */
export class Pace {
  private dueMs = performance.now();

  constructor(
    private readonly bytesPerSecond: number,
    private readonly timers: TimerWheel,
  ) {}

  /** Resolves when this many more bytes may have arrived. */
  async waitFor(bytes: number): Promise<void> {
    if (this.bytesPerSecond === 0) return;
    this.dueMs = Math.max(this.dueMs, performance.now() - waitMinMs) + (bytes / this.bytesPerSecond) * 1_000;
    const waitMs = this.dueMs - performance.now();
    if (waitMs > waitMinMs) await new Promise<void>((resolve) => this.timers.schedule(waitMs, resolve));
  }
}
