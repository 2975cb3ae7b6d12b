import { type DtlsClock } from '../src/index.js';

interface Ticker {
  intervalMs: number;
  dueMs: number;
  run: () => void;
}

/** Time that passes only when told to. */
export class ManualClock implements DtlsClock {
  private now = 5_000_000;
  private readonly tickers = new Set<Ticker>();

  nowMs(): number {
    return this.now;
  }

  every(intervalMs: number, run: () => void): { stop(): void } {
    const ticker = { intervalMs, dueMs: this.now + intervalMs, run };
    this.tickers.add(ticker);
    return { stop: () => this.tickers.delete(ticker) };
  }

  get ticking(): boolean {
    return this.tickers.size > 0;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = Math.min(end, ...[...this.tickers].map(({ dueMs }) => dueMs));
      this.now = next;
      for (const ticker of [...this.tickers].filter(({ dueMs }) => dueMs <= next)) {
        ticker.dueMs += ticker.intervalMs;
        if (this.tickers.has(ticker)) ticker.run();
      }
      if (next === end) return;
    }
  }
}
