import { randomUUID } from 'node:crypto';

/** Its 48 bits of time, as text. */
let last = { ms: NaN, text: '' };

const timeText = (nowMs: number): string => {
  const ms = Math.trunc(nowMs);
  if (last.ms === ms) return last.text;
  const digits = ms.toString(16).padStart(12, '0');
  last = { ms, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  return last.text;
};

/** UUID version 7 (RFC 9562 §5.7): 48 bits of milliseconds, the rest random. Later ones sort behind earlier ones. */
export const newUid = (nowMs: number = Date.now()): string =>
  // The random part of a version 4, whose variant bits are the same.
  `${timeText(nowMs)}-7${randomUUID().slice(15)}`;

const form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** When a uid was made, in ms since the epoch; undefined for anything that `newUid` did not make. */
export const timeOfUid = (uid: string): number | undefined => {
  const [, high, low] = form.exec(uid) ?? [];
  return high !== undefined && low !== undefined ? parseInt(high + low, 16) : undefined;
};
