import { crc32 } from 'node:zlib';
import { isRequestCode } from '../codec/code.js';
import { type CoapMessage, type CoapOption } from '../codec/message.js';
import { tokenKey } from '../codec/tokens.js';
import { EXCHANGE_LIFETIME_MS, NON_LIFETIME_MS } from '../timing/transmission-parameters.js';

/** The answer that a duplicate gets: the bytes as latin1 text, '' for an empty acknowledgement. */
export interface RememberedAnswer {
  messageId: number;
  token: string;
  /** `fingerprintOf` of the message. */
  print: number;
  answer: string;
  atMs: number;
}

/** What the caller has already computed for a message: its `tokenKey` and its `fingerprintOf`, if that is known. */
export interface KnownMarks {
  token: string;
  print: number | undefined;
}

/** Stands for the four bytes of an empty acknowledgement, which depend on the message id only. */
export const EMPTY_ACK = '';

/**
 * Shared by all rings without entries, and never modified. A list grows by being copied, because a list that grows by
 * `push` reserves room for sixteen entries.
 */
const none: RememberedAnswer[] = [];

/**
 * The last answers given to one peer. Their number is limited, so memory depends on the number of peers, not on the rate. Texts take
 * a fraction of the memory that small Buffers would hold.
 */
export class AnswerRing {
  private entries: RememberedAnswer[] = none;

  remember(entry: RememberedAnswer, entriesMax: number): void {
    if (entriesMax < 1) return;
    const { entries } = this;
    const [oldest] = entries;
    const expired = oldest !== undefined && entry.atMs - oldest.atMs >= EXCHANGE_LIFETIME_MS;
    if (entries.length >= entriesMax || expired) {
      entries.shift();
      entries.push(entry);
    } else this.entries = entries.concat(entry);
  }

  find(message: CoapMessage, nowMs: number): string | undefined {
    for (const entry of this.entries) if (isAnswerTo(entry, message, nowMs)) return entry.answer;
    return undefined;
  }
}

/** The prime of FNV-1a. */
const prime = 0x01000193;

const fingerprintOfOptions = (start: number, options: readonly CoapOption[]): number => {
  let print = start;
  for (const { number, value } of options) {
    print = Math.imul(print ^ number, prime);
    for (let at = 0; at < value.length; at++) print = Math.imul(print ^ (value[at] as number), prime);
  }
  return print;
};

/**
 * Fingerprint of the payload (`crc32`) and, for a request, of its options. It is a signed 32-bit number, for which V8
 * needs no separate memory.
 */
export const fingerprintOf = ({ code, options, payload }: CoapMessage): number => {
  const print = payload.length === 0 ? 0 : crc32(payload) | 0;
  return isRequestCode(code) ? fingerprintOfOptions(print, options) : print;
};

/**
 * Whether the entry has the answer to this message, which is then a duplicate. A retransmission has the same bytes, so
 * the same message id with another token or print is a new message: of a device that restarted its counter, for example
 * after a reboot, or that does not count at all, or of another device whose datagrams now come from this address.
 */
export function isAnswerTo(entry: RememberedAnswer, message: CoapMessage, nowMs: number): boolean {
  const lifetimeMs = message.type === 'CON' ? EXCHANGE_LIFETIME_MS : NON_LIFETIME_MS;
  return (
    entry.messageId === message.messageId &&
    nowMs - entry.atMs < lifetimeMs &&
    entry.token === tokenKey(message.token) &&
    entry.print === fingerprintOf(message)
  );
}
