export interface Timer {
  cancel(): void;
}

/** Time as rules see it. Injected, so that a rule of 24 hours is tested in milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  after(delayMs: number, work: () => void): Timer;
  every(periodMs: number, work: () => void): Timer;
  /** Resolves after `delayMs`, or at once when the signal aborts. Never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

const sleepOn = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, work) => {
    const handle = setTimeout(work, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  every: (periodMs, work) => {
    const handle = setInterval(work, periodMs);
    return { cancel: () => clearInterval(handle) };
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
};

interface Due {
  at: number;
  order: number;
  work: () => void;
  periodMs?: number;
}

/** A clock that moves only on demand. */
export class TestClock implements Clock {
  private readonly due = new Set<Due>();
  private orders = 0;

  constructor(private currentMs = Date.parse('2024-01-01T00:00:00Z')) {}

  now(): number {
    return this.currentMs;
  }

  after(delayMs: number, work: () => void): Timer {
    return this.schedule({ at: this.currentMs + delayMs, order: this.orders++, work });
  }

  every(periodMs: number, work: () => void): Timer {
    return this.schedule({ at: this.currentMs + periodMs, order: this.orders++, work, periodMs });
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Moves time, running what falls due in order; lets promises settle between. */
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
