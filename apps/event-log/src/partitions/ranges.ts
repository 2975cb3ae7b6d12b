/** From `fromMs` up to and without `toMs`. */
export interface Range {
  fromMs: number;
  toMs: number;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;

export const weekStart = (ms: number): number => Math.floor((ms - firstMondayMs) / weekMs) * weekMs + firstMondayMs;

/**
 * The weeks from that of `fromMs` to that of `toMs` as ranges that no existing partition overlaps. A partition may be
 * longer than a week: what it covers is left to it, and the next range begins where it ends.
 */
export const missingRanges = (existing: readonly Range[], fromMs: number, toMs: number): Range[] => {
  const sorted = [...existing].sort((a, b) => a.fromMs - b.fromMs);
  const end = weekStart(toMs) + weekMs;
  const missing: Range[] = [];
  for (let at = weekStart(fromMs); at < end;) {
    const covering = sorted.find((r) => r.fromMs <= at && at < r.toMs);
    if (covering) {
      at = covering.toMs;
      continue;
    }
    const next = sorted.find((r) => r.fromMs > at)?.fromMs ?? Infinity;
    const to = Math.min(weekStart(at) + weekMs, next);
    missing.push({ fromMs: at, toMs: to });
    at = to;
  }
  return missing;
};

/** Before this, entries are past their life. */
export const keptFromMs = (nowMs: number, retentionDays: number): number => nowMs - retentionDays * dayMs;
