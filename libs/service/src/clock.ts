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
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(handle);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const handle = setTimeout(done, delayMs);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
