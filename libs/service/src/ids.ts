import { randomBytes } from 'node:crypto';

/**
 * A new id of 32 lower-case hex characters: 12 for the milliseconds since the epoch, and 20 random ones. Ids of a later
 * millisecond sort after those of an earlier one.
 */
export const newId = (nowMs: number = Date.now()): string =>
  Math.trunc(nowMs).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

let last = { ms: NaN, text: '' };

/**
 * A time (a number is in milliseconds since the epoch) as `2024-01-01T10:00:00.123000Z`: with six decimals, as clients
 * expect (spec §2.5). The last text is cached, because many times are in the same millisecond.
 */
export const formatTimestamp = (at: Date | number): string => {
  const ms = Number(at);
  if (last.ms !== ms) last = { ms, text: `${new Date(ms).toISOString().slice(0, -1)}000Z` };
  return last.text;
};
