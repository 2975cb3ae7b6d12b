import { EXCHANGE_LIFETIME_MS } from '../timing/transmission-parameters.js';

/** What a duplicate gets: the bytes of the answer as latin1 text, '' for an empty acknowledgement. */
export interface RememberedAnswer {
  messageId: number;
  token: string;
  answer: string;
  atMs: number;
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

  find(messageId: number, token: string, nowMs: number): string | undefined {
    for (const entry of this.entries) if (answers(entry, messageId, token, nowMs)) return entry.answer;
    return undefined;
  }
}

/**
 * A retransmission is the same bytes, so an equal message id with another token is a new message: a device that
 * restarted its counter, for example after a reboot.
 */
export function answers(entry: RememberedAnswer, messageId: number, token: string, nowMs: number): boolean {
  return entry.messageId === messageId && entry.token === token && nowMs - entry.atMs < EXCHANGE_LIFETIME_MS;
}
