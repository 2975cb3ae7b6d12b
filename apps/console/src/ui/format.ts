const whole = new Intl.NumberFormat(undefined);
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** 100000 -> 100,000 */
export const count = (n: number): string => whole.format(n);

/** 1234 -> 1.2K; 0.1234 -> 0.123 */
export const short = (n: number): string => (Math.abs(n) >= 1_000 ? compact.format(n) : decimal.format(n));

const exact = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });

/** A measured value: 21.5347291 -> 21.5347 */
export const precise = (n: number): string => exact.format(n);

/** `1 device`, `2 devices`. */
export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

const periods = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** 86400 -> 1 day; 5400 -> 1 hour 30 minutes */
export const duration = (seconds: number): string => {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, length] of periods) {
    const n = Math.floor(rest / length);
    rest -= n * length;
    if (n > 0) parts.push(counted(n, unit));
  }
  return parts.join(' ') || counted(0, 'second');
};

/** The age of something in its largest unit: 90 s -> 1 minute ago. Never negative, although the clock of a device may be ahead. */
export const age = (at: string, nowMs: number): string => {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1_000));
  const found = periods.find(([, length]) => seconds >= length);
  return found ? `${counted(Math.floor(seconds / found[1]), found[0])} ago` : 'now';
};

const noBreak = '\u00a0';

// Created once: lists format several hundred times while they scroll. Times of day look as on the axes of charts.
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

/** The time, without the date if it is today. Lines do not break within it. */
export const moment = (at: string | Date): string => {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const time = timeOfDay.format(date);
  return isToday ? time : `${day.format(date).replaceAll(' ', noBreak)} ${time}`;
};

const units = ['B', 'kB', 'MB', 'GB'];

/** 1234567 -> 1.23 MB */
export const bytes = (n: number): string => {
  const power = n < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3));
  return `${decimal.format(n / 1_000 ** power)} ${units[power]}`;
};
