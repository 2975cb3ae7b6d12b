import { isRequestCode } from '../codec/code.js';
import { type CoapMessage } from '../codec/message.js';
import { fingerprintOf } from '../peer/answer-ring.js';
import { type PeerState } from '../peer/peer-state.js';
import { type Peer } from '../messages/peer.js';
import { type InFlight } from '../peer/running.js';
import { type CoapLimits } from '../limits.js';

type Limits = Pick<
  CoapLimits,
  'notificationsInFlightMax' | 'notificationsInFlightPerPeerMax' | 'requestsInFlightMax' | 'requestsInFlightPerPeerMax'
>;

/**
 * Messages whose handler is running: limited in total and per peer, and used to recognise duplicates. Those of a peer
 * with state are kept in that state, and not in one Map for all peers. When entries of a Map change constantly, V8
 * replaces its internal table again and again, and each old table points to the next one. Once one of them has reached
 * the old generation, all later ones live until the next full collection.
 */
export class InFlightTable {
  /** Messages of peers that had no state when they arrived, or no longer have any. By `authority`. */
  private readonly unknownPeers = new Map<Peer['authority'], InFlight[]>();
  private readonly totals = { request: 0, notification: 0 };

  constructor(private readonly limits: Limits) {}

  count(kind: InFlight['kind']): number {
    return this.totals[kind];
  }

  /** The message in progress of which this one is a duplicate. */
  find(peer: Peer, state: PeerState | undefined, message: CoapMessage): InFlight | undefined {
    const isIt = (one: InFlight): boolean => isSame(one.message, message);
    return state?.running?.find(isIt) ?? this.ofUnknownPeer(peer)?.find(isIt);
  }

  /** Whether one more of its kind may begin. */
  hasRoom(peer: Peer, state: PeerState | undefined, kind: InFlight['kind']): boolean {
    if (this.totals[kind] >= this.totalMax(kind)) return false;
    return howMany(state?.running, kind) + howMany(this.ofUnknownPeer(peer), kind) < this.perPeerMax(kind);
  }

  begin(peer: Peer, state: PeerState | undefined, message: CoapMessage, kind: InFlight['kind']): InFlight {
    const one: InFlight = { kind, message, acknowledged: false };
    if (state === undefined || state.gone) this.addUnknownPeer(peer, [one]);
    else if (state.running === undefined) state.running = [one];
    else state.running.push(one);
    this.totals[kind] += 1;
    return one;
  }

  /** `state`: the state with which the message began. */
  remove(peer: Peer, state: PeerState | undefined, one: InFlight): void {
    const ofPeer = state && without(state.running, one);
    if (state !== undefined && ofPeer !== undefined) {
      state.running = ofPeer.length === 0 ? undefined : ofPeer;
    } else {
      const left = without(this.ofUnknownPeer(peer), one);
      if (left === undefined) return;
      if (left.length === 0) this.unknownPeers.delete(peer.authority);
    }
    this.totals[one.kind] -= 1;
  }

  /** Called when the state is dropped: its running handlers continue, so duplicates must still be recognised. */
  moveToUnknownPeers(state: PeerState): void {
    if (state.running !== undefined) this.addUnknownPeer(state.peer, state.running);
    state.running = undefined;
  }

  private ofUnknownPeer(peer: Peer): InFlight[] | undefined {
    return this.unknownPeers.size === 0 ? undefined : this.unknownPeers.get(peer.authority);
  }

  private addUnknownPeer({ authority }: Peer, more: InFlight[]): void {
    const running = this.unknownPeers.get(authority);
    if (running === undefined) this.unknownPeers.set(authority, more);
    else running.push(...more);
  }

  private totalMax(kind: InFlight['kind']): number {
    return kind === 'request' ? this.limits.requestsInFlightMax : this.limits.notificationsInFlightMax;
  }

  private perPeerMax(kind: InFlight['kind']): number {
    return kind === 'request' ? this.limits.requestsInFlightPerPeerMax : this.limits.notificationsInFlightPerPeerMax;
  }
}

function howMany(running: readonly InFlight[] | undefined, kind: InFlight['kind']): number {
  let count = 0;
  if (running !== undefined) for (const one of running) if (one.kind === kind) count += 1;
  return count;
}

/** The same list without the message; undefined when the list does not contain it. */
function without(running: InFlight[] | undefined, one: InFlight): InFlight[] | undefined {
  const index = running?.indexOf(one) ?? -1;
  if (running === undefined || index < 0) return undefined;
  running.splice(index, 1);
  return running;
}

/**
 * Whether two messages are the same: a retransmission has the same bytes. Another value with the message id of one that is being
 * handled violates RFC 7252 §4.4, but is handled: dropping it would lose it, because the acknowledgement of the first also
 * acknowledges this one.
 */
const isSame = (one: CoapMessage, other: CoapMessage): boolean =>
  one.messageId === other.messageId &&
  one.code === other.code &&
  one.token.equals(other.token) &&
  one.payload.equals(other.payload) &&
  (!isRequestCode(one.code) || fingerprintOf(one) === fingerprintOf(other));
