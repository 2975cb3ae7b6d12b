import { randomUUID } from 'node:crypto';

/** UUID version 7 (RFC 9562 §5.7): 48 bits of milliseconds, the rest random. Later ones sort behind earlier ones. */
export const newUid = (nowMs: number = Date.now()): string => {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0');
  // The random part of a version 4, whose variant bits are the same.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};

const form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** When a uid was made, in ms since the epoch; undefined for anything that `newUid` did not make. */
export const timeOfUid = (uid: string): number | undefined => {
  const [, high, low] = form.exec(uid) ?? [];
  return high !== undefined && low !== undefined ? parseInt(high + low, 16) : undefined;
};
