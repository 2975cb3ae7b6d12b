import { createHash, randomFillSync } from 'node:crypto';

/** The text of the last millisecond, because many uids have the same. */
let last = { ms: NaN, text: '' };

const timeText = (nowMs: number): string => {
  const ms = Math.trunc(nowMs);
  if (last.ms === ms) return last.text;
  const digits = ms.toString(16).padStart(12, '0');
  last = { ms, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  return last.text;
};

/** Random bytes of a uid; 19 of their 20 digits are used. */
const randomBytes = 10;

/** Generated in bulk: `randomUUID` joins each from 16 parts, which costs twice as much and leaves garbage. */
const pool = Buffer.alloc(256 * randomBytes);
let digits = '';
let used = 0;

const refill = (): void => {
  randomFillSync(pool);
  // The fourth digit is the variant: 8, 9, a or b.
  for (let at = 1; at < pool.length; at += randomBytes) pool[at] = ((pool[at] as number) & 0xf3) | 0x08;
  digits = pool.toString('hex');
  used = 0;
};

/** UUID version 7 (RFC 9562 §5.7): 48 bits of milliseconds, the rest random. Later ones sort behind earlier ones. */
export const newUid = (nowMs: number = Date.now()): string => {
  if (used >= digits.length) refill();
  const at = used;
  used += 2 * randomBytes;
  return `${timeText(nowMs)}-7${digits.slice(at, at + 3)}-${digits.slice(at + 3, at + 7)}-${digits.slice(at + 7, at + 19)}`;
};

/**
 * The uid of what another process may announce again: it is derived from `source` and the time in place of random digits, so
 * that a repetition has the same uid.
 */
export const uidOf = (source: string, atMs: number): string => {
  const hash = createHash('sha256').update(source).digest();
  hash[1] = ((hash[1] as number) & 0xf3) | 0x08;
  const text = hash.toString('hex');
  return `${timeText(atMs)}-7${text.slice(0, 3)}-${text.slice(3, 7)}-${text.slice(7, 19)}`;
};

const form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The time in a uid, in ms since the epoch; undefined for anything else. */
export const timeOfUid = (uid: string): number | undefined => {
  const [, high, low] = form.exec(uid) ?? [];
  return high !== undefined && low !== undefined ? parseInt(high + low, 16) : undefined;
};
