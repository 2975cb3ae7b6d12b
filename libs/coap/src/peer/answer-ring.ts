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

/**
 * The last answers given to one peer. A peer has one message outstanding (NSTART), so a few are enough and memory
 * follows the number of peers, not the rate. Texts take a fraction of what small Buffers would hold on to.
 */
export class AnswerRing {
  private readonly entries: RememberedAnswer[] = [];
  private next = 0;

  remember(entry: RememberedAnswer): void {
    this.entries[this.next] = entry;
    this.next = (this.next + 1) % RING_LENGTH;
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
