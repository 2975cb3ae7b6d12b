import { randomBytes } from 'node:crypto';

/** 32 lower-case hex characters: 12 of milliseconds, 20 random. Later ids sort behind earlier ones (to the ms). */
export const newId = (nowMs: number = Date.now()): string =>
  Math.trunc(nowMs).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** `2024-01-01T10:00:00.123456Z`: six decimals, as clients expect (spec §2.5). */
export const formatTimestamp = (at: Date | number): string => {
  const text = new Date(at).toISOString();
  return `${text.slice(0, -1)}000Z`;
};
