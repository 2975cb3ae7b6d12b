const minuteMs = 60_000;
const dayMinutes = 1_440;

const minutesOf = (timeOfDay: string): number => Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3));

/** Whether a time is in a window of the day (UTC), which may span midnight. `from` belongs to it, `to` does not. */
export const isWithin = (window: { from: string; to: string } | null, nowMs: number): boolean => {
  if (!window) return true;
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  const now = Math.floor(nowMs / minuteMs) % dayMinutes;
  return from < to ? now >= from && now < to : now >= from || now < to;
};
