import { crc32 } from 'node:zlib';
import { tokenKey } from '../codec/tokens.js';
import { type EndpointCore } from '../state/core.js';
import { type Requester } from '../exchange/requester.js';
import { type NotificationHandler } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { ObservationEntry } from '../peer/observation-entry.js';
import { type NewestNotification, type ObservePosition } from '../peer/observe-order.js';
import { type PeerState } from '../peer/peer-state.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { type Turn } from '../peer/turn.js';
import { type NotificationProperties, notificationPropertiesOf, withoutUnusable } from './notification-of.js';
import { retryNonConfirmable } from './notification-retry.js';
import { type EarlierObservation, Observer } from './observer.js';

/** Over UDP: notifications are ordered by their numbers, and acknowledged once they are safe. */
export class DatagramObserver extends Observer<PeerState, ObservationEntry, IncomingResponse> {
  constructor(
    protected override readonly core: EndpointCore,
    requester: Requester<PeerState, IncomingResponse>,
  ) {
    super(core, requester);
  }

  override newest(peer: Peer, token: Buffer): NewestNotification | undefined {
    const newest = this.stateOf(peer)?.observations?.get(tokenKey(token))?.newest;
    return newest && { number: newest.number, print: newest.print, ageMs: this.core.clock.nowMs() - newest.atMs };
  }

  /**
   * Handles a notification of a known observation that is not a duplicate. Never throws. Functions that run for every
   * notification are not `async`: each would cost a promise, and delay the acknowledgement by one more microtask.
   */
  deliver(state: PeerState, entry: ObservationEntry, response: IncomingResponse): void {
    const { message } = response;
    if (!this.core.inFlight.hasRoom(state.peer, state, 'notification')) {
      this.core.count('notification-refused-by-limit');
      return;
    }
    const inFlight = this.core.inFlight.begin(state.peer, state, message, 'notification');
    const end = (): void => this.core.inFlight.remove(state.peer, state, inFlight);
    retryNonConfirmable(this.core, message, () => this.attempt(state, entry, response)).then(end, (error: unknown) => {
      this.core.report(error);
      end();
    });
  }

  /**
   * Resolves with false when the handler failed. The handler is called before anything is awaited, unless another
   * notification that is not older is still being handled.
   */
  private attempt(
    state: PeerState,
    entry: ObservationEntry,
    response: IncomingResponse,
    // undefined without an Observe number: then the only order is that of arrival.
    position = this.positionOf(response),
  ): Promise<boolean> {
    const turn = position && entry.beginTurn(position);
    if (turn instanceof Promise) return turn.then(() => this.attempt(state, entry, response, position));
    if (turn !== 'stale') return this.deliverInTurn(state, entry, response, turn);
    this.core.count('notification-stale');
    this.core.acknowledge(response.message, state.peer, this.core.peers.get(state.peer.key));
    return Promise.resolve(true);
  }

  /** The acknowledgement is sent only after the handler reported that the value is safe. */
  private deliverInTurn(
    state: PeerState,
    entry: ObservationEntry,
    response: IncomingResponse,
    turn: Turn | undefined,
  ): Promise<boolean> {
    const properties = notificationPropertiesOf(entry, response, response.message.type === 'CON');
    return this.callHandler(state.peer, state, entry, withoutUnusable(response), properties).then(
      () => {
        this.acknowledge(state, entry, response, properties, turn);
        if (!response.isUnusable) this.core.count('notification-accepted');
        if (turn !== undefined) entry.endTurn(turn, true);
        return true;
      },
      (error: unknown) => {
        this.core.count('notification-rejected');
        this.core.report(error);
        if (turn !== undefined) entry.endTurn(turn, false);
        return false;
      },
    );
  }

  private acknowledge(
    state: PeerState,
    entry: ObservationEntry,
    { message, isUnusable }: IncomingResponse,
    { ended, partial }: NotificationProperties,
    turn: Turn | undefined,
  ): void {
    const { peer } = state;
    if (ended) this.forget(peer, entry);
    const now = state.gone ? this.core.peers.get(peer.key) : state;
    if (partial || isUnusable) this.core.reset(message, peer, now);
    else this.core.acknowledge(message, peer, now, { token: entry.key, print: turn && turn.position.print | 0 });
  }

  /** The position of a message that is being processed now; undefined without an Observe number. */
  positionOf({ message, options }: IncomingResponse): ObservePosition | undefined {
    const { observe: number } = options;
    return number === undefined ? undefined : { number, print: crc32(message.payload), atMs: this.core.clock.nowMs() };
  }

  protected entryOf(key: string, handler: NotificationHandler, request: OutgoingRequest | undefined): ObservationEntry {
    return new ObservationEntry(key, handler, request);
  }

  protected stateOf(peer: Peer): PeerState | undefined {
    return this.core.peers.get(peer.key);
  }

  protected keepState(peer: Peer): PeerState {
    return this.core.peers.keep(peer);
  }

  protected override setFirstPosition(entry: ObservationEntry, response: IncomingResponse): void {
    const position = this.positionOf(response);
    if (position !== undefined) entry.recordNewest(position);
  }

  protected override setEarlierPosition(entry: ObservationEntry, { newest }: EarlierObservation): void {
    if (newest)
      entry.recordNewest({ number: newest.number, print: newest.print, atMs: this.core.clock.nowMs() - newest.ageMs });
  }
}
