import type { Rate } from '../config.js';

export interface Verdict {
  /** Theoretical arrival time to remember; unchanged when refused. */
  tatMs: number;
  /** 0: a token was taken. Otherwise none was taken, and one can be taken after this time. */
  waitMs: number;
}

export const intervalMs = (rate: Rate): number => 1_000 / rate.perSecond;
export const toleranceMs = (rate: Rate): number => intervalMs(rate) * rate.burst;

/** Generic cell rate algorithm: a token bucket that remembers one number. */
export const gcra = (tatMs: number, nowMs: number, rate: Rate): Verdict => {
  const next = Math.max(tatMs, nowMs) + intervalMs(rate);
  const waitMs = next - nowMs - toleranceMs(rate);
  return waitMs > 0 ? { tatMs, waitMs } : { tatMs: next, waitMs: 0 };
};
