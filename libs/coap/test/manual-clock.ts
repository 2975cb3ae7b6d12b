import { type CoapClock } from '../src/index.js';

/** Time that passes only when told to. */
export class ManualClock implements CoapClock {
  private now = 5_000_000;
  private readonly tickers = new Set<() => void>();

  nowMs(): number {
    return this.now;
  }

  every(_intervalMs: number, run: () => void): { stop(): void } {
    this.tickers.add(run);
    return { stop: () => this.tickers.delete(run) };
  }

  get ticking(): boolean {
    return this.tickers.size > 0;
  }

  /** In steps of 100 ms, each followed by the ticks that are due. */
  advance(ms: number): void {
    for (let passed = 0; passed < ms; passed += 100) {
      this.now += 100;
      for (const run of [...this.tickers]) run();
    }
  }

  /** All at once, as after a stall of the process. */
  leap(ms: number): void {
    this.now += ms;
    for (const run of [...this.tickers]) run();
  }
}
