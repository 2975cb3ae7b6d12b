/** From `fromMs` (inclusive) to `toMs` (exclusive). */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** 1970-01-05, a Monday: weeks begin there, and so do shorter periods of whole hours. */
const firstMondayMs = 4 * 86_400_000;

export const periodStart = (ms: number, periodMs: number): number =>
  Math.floor((ms - firstMondayMs) / periodMs) * periodMs + firstMondayMs;

/** The periods from that of `fromMs` to that of `toMs`, without those that exist. */
export const missingPeriods = (
  existing: readonly TimeRange[],
  { fromMs, toMs }: TimeRange,
  periodMs: number,
): TimeRange[] => {
  const starts = new Set(existing.map((range) => range.fromMs));
  const missing: TimeRange[] = [];
  for (let at = periodStart(fromMs, periodMs); at <= toMs; at += periodMs)
    if (!starts.has(at)) missing.push({ fromMs: at, toMs: at + periodMs });
  return missing;
};
