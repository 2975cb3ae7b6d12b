import { setTimeout as sleep } from 'node:timers/promises';

export interface Timer {
  cancel(): void;
}

/** The time for the rules of a service. It is injected, so that a test of a rule of 24 hours takes milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The system clock waits 24.8 days at most. */
  after(delayMs: number, work: () => void): Timer;
  /**
   * Calls `work` in each period, for the first time after one. The first call of the system clock may be up to half a
   * second later, so that all periodic work of a process is done at the same time.
   */
  every(periodMs: number, work: () => void): Timer;
  /** Resolves after `delayMs`, or at once when the signal aborts. Never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Periodic work begins at multiples of this, by the clock of the process. */
const gridMs = 500;

const everyPeriod: Clock['every'] = (periodMs, work) => {
  const handle = setInterval(work, periodMs);
  return { cancel: () => clearInterval(handle) };
};

/**
 * A process that does nothing else should wake up once for all its periodic work: each part of it then costs little compared
 * with a wake-up.
 */
const everyPeriodTogether: Clock['every'] = (periodMs, work) => {
  let dueMs = Math.ceil((performance.now() + periodMs) / gridMs) * gridMs;
  let handle = setTimeout(run, dueMs - performance.now());
  function run(): void {
    const nowMs = performance.now();
    // After a pause of the process, what was missed is not made up for.
    dueMs += periodMs * Math.max(1, Math.ceil((nowMs - dueMs) / periodMs));
    handle = setTimeout(run, dueMs - nowMs);
    work();
  }
  return { cancel: () => clearTimeout(handle) };
};

/** A timer of Node takes at most 24.8 days. With a longer delay it would be due at once. */
const delayMaxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, work) => {
    const handle = setTimeout(work, Math.min(delayMs, delayMaxMs));
    return { cancel: () => clearTimeout(handle) };
  },
  every: (periodMs, work) => (periodMs < gridMs ? everyPeriod(periodMs, work) : everyPeriodTogether(periodMs, work)),
  sleep: (delayMs, signal) => sleep(Math.min(delayMs, delayMaxMs), undefined, { signal }).catch(() => undefined),
};
