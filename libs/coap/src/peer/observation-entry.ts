import { type OutgoingRequest } from '../messages/request.js';
import { type NotificationHandler } from '../messages/notification.js';
import { isNewer, type ObservePosition } from './observe-order.js';
import { Turn } from './turn.js';

const noTurns: readonly Turn[] = [];

/** One observation, seen from the side that receives its notifications. */
export class Observed {
  constructor(
    /** The token as `tokenKey` writes it. */
    readonly key: string,
    public handler: NotificationHandler,
    /** Used to fetch further blocks of a large notification; unknown after a take-over that did not keep it. */
    readonly request: OutgoingRequest | undefined,
  ) {}
}

/** An observation over UDP, whose notifications may arrive in any order. */
export class ObservationEntry extends Observed {
  /** Observe number of the newest notification that was accepted; -1: none yet. */
  private newestNumber = -1;
  private newestPrint = 0;
  private newestAtMs = 0;
  private inFlight = noTurns;

  /**
   * Begins to handle a notification. Returns a `Turn` if the caller is to handle the notification and to end the turn.
   * Returns 'stale' if a notification that is not older is already safe: this one must not be delivered (RFC 7641
   * §3.4). Returns a promise if a notification that is not older is still being handled: the caller waits for it, and
   * calls this method again. The caller must not acknowledge this notification before that: its value would be lost if
   * the handler of the other one failed.
   */
  beginTurn(position: ObservePosition): Turn | 'stale' | Promise<void> {
    if (!this.isAfterNewest(position)) return 'stale';
    for (const one of this.inFlight) if (!isNewer(position, one.position)) return one.whenEnded();
    const turn = new Turn(position);
    this.inFlight = this.inFlight.concat(turn);
    return turn;
  }

  /** `accepted`: the value is durable. Otherwise a retransmission is handled like a new notification. */
  endTurn(turn: Turn, accepted: boolean): void {
    const left = this.inFlight.filter((one) => one !== turn);
    this.inFlight = left.length === 0 ? noTurns : left;
    if (accepted) this.recordNewest(turn.position);
    turn.end();
  }

  /** The first representation, or a notification, of this position is safe. An older one changes nothing. */
  recordNewest(position: ObservePosition): void {
    if (!this.isAfterNewest(position)) return;
    this.newestNumber = position.number;
    this.newestPrint = position.print;
    this.newestAtMs = Math.floor(position.atMs);
  }

  /** undefined: no notification was accepted yet. */
  get newest(): ObservePosition | undefined {
    if (this.newestNumber < 0) return undefined;
    return { number: this.newestNumber, print: this.newestPrint, atMs: this.newestAtMs };
  }

  private isAfterNewest(position: ObservePosition): boolean {
    if (this.newestNumber < 0) return true;
    return isNewer(position, { number: this.newestNumber, print: this.newestPrint, atMs: this.newestAtMs });
  }
}
