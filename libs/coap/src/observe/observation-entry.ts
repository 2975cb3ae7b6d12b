import { type OutgoingRequest } from '../exchange/request.js';
import { type NotificationHandler } from './notification.js';
import { isNewer, type ObservePosition } from './observe-order.js';

const REFUSED_MAX = 64;

/** One observation, seen from the side that receives its notifications. */
export class ObservationEntry {
  /** Of the newest notification; -1: none yet. */
  private newestNumber = -1;
  private newestAtMs = 0;
  /** Message ids of notifications whose handler failed. Their retransmission is welcome whatever came meanwhile. */
  private refused: Set<number> | undefined;

  constructor(
    /** The token as `tokenKey` writes it. */
    readonly key: string,
    public handler: NotificationHandler,
    /** To fetch further blocks of a large notification; unknown after a take-over that did not keep it. */
    readonly request: OutgoingRequest | undefined,
  ) {}

  /** Whether a notification should be handled; a stale one is acknowledged and dropped. */
  admits(position: ObservePosition | undefined, messageId: number): boolean {
    if (position === undefined || this.refused?.delete(messageId)) return true;
    const newest = this.newestNumber < 0 ? undefined : { number: this.newestNumber, atMs: this.newestAtMs };
    if (!isNewer(position, newest)) return false;
    this.startAt(position);
    return true;
  }

  /** The handler failed: the same notification will come again and must not count as stale then. */
  refuse(messageId: number): void {
    this.refused ??= new Set();
    this.refused.add(messageId);
    if (this.refused.size > REFUSED_MAX) this.refused.delete(this.refused.values().next().value as number);
  }

  /** The number of the first representation. */
  startAt(position: ObservePosition): void {
    this.newestNumber = position.number;
    this.newestAtMs = Math.floor(position.atMs);
  }
}
