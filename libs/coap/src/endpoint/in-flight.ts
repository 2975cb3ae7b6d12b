import { type CoapMessage } from '../codec/message.js';
import { type Peer } from '../peer/peer.js';
import { type CoapLimits } from './limits.js';

/** A message that is being handled. */
export interface InFlight {
  readonly kind: 'request' | 'notification';
  readonly message: CoapMessage;
  /** It was acknowledged already, the answer will be a message of its own. */
  acknowledged: boolean;
}

type Limits = Pick<
  CoapLimits,
  'notificationsInFlightMax' | 'notificationsInFlightPerPeerMax' | 'requestsInFlightMax' | 'requestsInFlightPerPeerMax'
>;

/** Messages whose handler runs: bounded in total and per peer, and the means to recognise their duplicates. */
export class InFlightTable {
  /** By `authority`: a text keeps its hash, the number that is a peer's key is hashed each time. */
  private readonly byPeer = new Map<Peer['authority'], InFlight[]>();
  private readonly totals = { request: 0, notification: 0 };

  constructor(private readonly limits: Limits) {}

  count(kind: InFlight['kind']): number {
    return this.totals[kind];
  }

  /** Of which the message is a duplicate. */
  find(peer: Peer, message: CoapMessage): InFlight | undefined {
    return this.byPeer.get(peer.authority)?.find((one) => isSame(one.message, message));
  }

  /** Whether one more of its kind may begin. */
  hasRoom(peer: Peer, kind: InFlight['kind']): boolean {
    if (this.totals[kind] >= this.totalMax(kind)) return false;
    const running = this.byPeer.get(peer.authority);
    if (running === undefined || running.length < this.perPeerMax(kind)) return true;
    return running.reduce((sum, one) => (one.kind === kind ? sum + 1 : sum), 0) < this.perPeerMax(kind);
  }

  begin(peer: Peer, message: CoapMessage, kind: InFlight['kind']): InFlight {
    const running = this.byPeer.get(peer.authority);
    const one: InFlight = { kind, message, acknowledged: false };
    if (running === undefined) this.byPeer.set(peer.authority, [one]);
    else running.push(one);
    this.totals[kind] += 1;
    return one;
  }

  end(peer: Peer, one: InFlight): void {
    const running = this.byPeer.get(peer.authority);
    const index = running?.indexOf(one) ?? -1;
    if (running === undefined || index < 0) return;
    running.splice(index, 1);
    if (running.length === 0) this.byPeer.delete(peer.authority);
    this.totals[one.kind] -= 1;
  }

  private totalMax(kind: InFlight['kind']): number {
    return kind === 'request' ? this.limits.requestsInFlightMax : this.limits.notificationsInFlightMax;
  }

  private perPeerMax(kind: InFlight['kind']): number {
    return kind === 'request' ? this.limits.requestsInFlightPerPeerMax : this.limits.notificationsInFlightPerPeerMax;
  }
}

/**
 * A retransmission is the same bytes. Another value with the message id of one that is being handled breaks RFC 7252 §4.4,
 * but is taken: to drop it would lose it, and acknowledging the first would acknowledge it too.
 */
const isSame = (one: CoapMessage, other: CoapMessage): boolean =>
  one.messageId === other.messageId &&
  one.code === other.code &&
  one.token.equals(other.token) &&
  one.payload.equals(other.payload);
