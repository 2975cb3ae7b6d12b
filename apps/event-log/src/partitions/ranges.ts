/** From `fromMs` (inclusive) to `toMs` (exclusive). */
export interface Range {
  fromMs: number;
  toMs: number;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;

export const weekStart = (ms: number): number => Math.floor((ms - firstMondayMs) / weekMs) * weekMs + firstMondayMs;

/** The weeks from that of `fromMs` to that of `toMs`, without those that exist. */
export const missingWeeks = (existing: readonly Range[], fromMs: number, toMs: number): Range[] => {
  const starts = new Set(existing.map((week) => week.fromMs));
  const missing: Range[] = [];
  for (let at = weekStart(fromMs); at <= toMs; at += weekMs)
    if (!starts.has(at)) missing.push({ fromMs: at, toMs: at + weekMs });
  return missing;
};

/** Entries before this have expired. */
export const keptFromMs = (nowMs: number, retentionDays: number): number => nowMs - retentionDays * dayMs;
