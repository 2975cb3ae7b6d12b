interface Timer {
  cancel(): void;
}

interface Due {
  at: number;
  order: number;
  work: () => void;
  periodMs?: number;
}

/** A `Clock` of libs/service that moves only on demand. */
export class TestClock {
  private readonly due = new Set<Due>();
  private orders = 0;
  private offsetMs = 0;

  constructor(private currentMs = Date.parse('2024-01-01T00:00:00Z')) {}

  now(): number {
    return this.currentMs + this.offsetMs;
  }

  /** Changes what `now` returns by this much, as when the clock of a machine is set. Timers are not affected. */
  adjust(byMs: number): void {
    this.offsetMs += byMs;
  }

  after(delayMs: number, work: () => void): Timer {
    return this.schedule({ at: this.currentMs + delayMs, order: this.orders++, work });
  }

  every(periodMs: number, work: () => void): Timer {
    return this.schedule({ at: this.currentMs + periodMs, order: this.orders++, work, periodMs });
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.after(delayMs, resolve);
      const end = (): void => {
        timer.cancel();
        resolve();
      };
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Moves time forward, runs what falls due in order, and lets promises settle in between. */
  async advance(byMs: number): Promise<void> {
    const end = this.currentMs + byMs;
    for (let next = this.next(end); next; next = this.next(end)) {
      this.currentMs = Math.max(this.currentMs, next.at);
      if (next.periodMs === undefined) this.due.delete(next);
      else next.at += next.periodMs;
      next.work();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.currentMs = end;
    await new Promise((resolve) => setImmediate(resolve));
  }

  private schedule(due: Due): Timer {
    this.due.add(due);
    return { cancel: () => void this.due.delete(due) };
  }

  private next(end: number): Due | undefined {
    let first: Due | undefined;
    for (const d of this.due)
      if (d.at <= end && (!first || d.at < first.at || (d.at === first.at && d.order < first.order))) first = d;
    return first;
  }
}
