import { type DtlsClock } from './clock.js';

/** A function that will run once. */
export interface DtlsTimer {
  cancel(): void;
}

/** Runs functions later. An application that has a timer wheel passes that. */
export interface DtlsTimers {
  schedule(delayMs: number, run: () => void): DtlsTimer;
}

interface Entry {
  dueMs: number;
  run: () => void;
}

const TICK_MS = 50;

/**
 * The timers of one or many endpoints behind one timer of the process, which ticks only while something waits. Each tick visits
 * all timers: there is one for each handshake in progress, and their number is limited.
 */
export class TickingTimers implements DtlsTimers {
  private readonly entries = new Set<Entry>();
  private ticker: { stop(): void } | undefined;

  constructor(private readonly clock: DtlsClock) {}

  get size(): number {
    return this.entries.size;
  }

  schedule(delayMs: number, run: () => void): DtlsTimer {
    const entry = { dueMs: this.clock.nowMs() + delayMs, run };
    this.entries.add(entry);
    this.ticker ??= this.clock.every(TICK_MS, () => this.tick());
    return { cancel: () => this.remove(entry) };
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry);
    if (this.entries.size > 0) return;
    this.ticker?.stop();
    this.ticker = undefined;
  }

  /** Collects due timers first, because the functions that run may set and cancel timers. */
  private tick(): void {
    const now = this.clock.nowMs();
    for (const entry of [...this.entries].filter(({ dueMs }) => dueMs <= now)) {
      if (!this.entries.has(entry)) continue;
      this.remove(entry);
      entry.run();
    }
  }
}
