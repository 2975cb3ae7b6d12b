import { randomBytes } from 'node:crypto';

/** 32 lower-case hex characters: 12 of milliseconds, 20 random. Later ids sort behind earlier ones (to the ms). */
export const newId = (nowMs: number = Date.now()): string =>
  Math.trunc(nowMs).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

let last = { ms: NaN, text: '' };

/** `2024-01-01T10:00:00.123456Z`: six decimals, as clients expect (spec §2.5). What happens in the same ms shares its text. */
export const formatTimestamp = (at: Date | number): string => {
  const ms = Number(at);
  if (last.ms !== ms) last = { ms, text: `${new Date(ms).toISOString().slice(0, -1)}000Z` };
  return last.text;
};
