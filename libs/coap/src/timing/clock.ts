/** The source of time; tests replace it. */
export interface CoapClock {
  /** Milliseconds of a clock that never jumps back. The origin does not matter. */
  nowMs(): number;
  /** Runs a function at this interval until stopped. This library sets no other timers, except timeouts of sockets. */
  every(intervalMs: number, run: () => void): { stop(): void };
}

/** The monotonic clock of the process. Its timer does not keep the process alive: the socket does. */
export const systemCoapClock: CoapClock = {
  nowMs: () => performance.now(),
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs);
    timer.unref();
    return { stop: () => clearInterval(timer) };
  },
};
