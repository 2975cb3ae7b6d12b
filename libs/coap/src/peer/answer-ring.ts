import { crc32 } from 'node:zlib';
import { type CoapMessage } from '../codec/message.js';
import { tokenKey } from '../codec/tokens.js';
import { EXCHANGE_LIFETIME_MS, NON_LIFETIME_MS } from '../timing/transmission-parameters.js';

/** What a duplicate gets: the bytes of the answer as latin1 text, '' for an empty acknowledgement. */
export interface RememberedAnswer {
  messageId: number;
  token: string;
  /** Of the payload of the message (`crc32`). */
  print: number;
  answer: string;
  atMs: number;
}

/** What the responder knows about an earlier message: its token (`tokenKey`) and the fingerprint of its payload. */
export interface KnownMarks {
  token: string;
  print: number | undefined;
}

/** Instead of four bytes that depend on the message id only. */
export const EMPTY_ACK = '';

const RING_LENGTH = 8;

/** Never written to: a list grows by being copied, for one that was pushed to holds on to room for sixteen. */
const none: RememberedAnswer[] = [];

/**
 * The last answers given to one peer. A peer has one message outstanding (NSTART), so a few are enough and memory
 * follows the number of peers, not the rate. Texts take a fraction of what small Buffers would hold on to.
 */
export class AnswerRing {
  private entries: RememberedAnswer[] = none;

  remember(entry: RememberedAnswer): void {
    const { entries } = this;
    const [oldest] = entries;
    const expired = oldest !== undefined && entry.atMs - oldest.atMs >= EXCHANGE_LIFETIME_MS;
    if (entries.length === RING_LENGTH || expired) {
      entries.shift();
      entries.push(entry);
    } else this.entries = entries.concat(entry);
  }

  find(message: CoapMessage, nowMs: number): string | undefined {
    for (const entry of this.entries) if (answers(entry, message, nowMs)) return entry.answer;
    return undefined;
  }
}

/** Signed: a number that takes no memory of its own. */
export const printOf = ({ payload }: CoapMessage): number => (payload.length === 0 ? 0 : crc32(payload) | 0);

/**
 * A retransmission is the same bytes, so an equal message id with another token or payload is a new message: of a device
 * that restarted its counter, for example after a reboot, or that does not count at all.
 */
export function answers(entry: RememberedAnswer, message: CoapMessage, nowMs: number): boolean {
  const lifetimeMs = message.type === 'CON' ? EXCHANGE_LIFETIME_MS : NON_LIFETIME_MS;
  return (
    entry.messageId === message.messageId &&
    nowMs - entry.atMs < lifetimeMs &&
    entry.token === tokenKey(message.token) &&
    entry.print === printOf(message)
  );
}
