import { type SharedGauges } from '../state/events.js';
import { type SharedCore, type SharedOptions } from '../state/shared-core.js';
import { EndpointClosed } from '../errors.js';
import { type Answering } from '../exchange/answering.js';
import { type CoapLimits } from '../limits.js';
import { type ClientState } from '../peer/client-state.js';
import { type Observed } from '../peer/observation-entry.js';
import { type ResponseMessage } from '../peer/pending-request.js';
import { type NotificationHandler, type Observation } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type Requester } from '../exchange/requester.js';
import { type EarlierObservation, type Observer } from '../observe/observer.js';
import { type NewestNotification } from '../peer/observe-order.js';

/** Operations on a peer, independent of its transport. */
export abstract class CoapEndpoint {
  protected abstract readonly core: Pick<
    SharedCore<never, SharedOptions<never>, CoapLimits>,
    'closing' | 'drained' | 'stopTimers'
  >;
  protected abstract readonly answering: Pick<Answering<never>, 'held' | 'clear'>;
  protected abstract readonly requester: Pick<Requester<never, never>, 'request'>;
  protected abstract readonly observer: Pick<
    Observer<never, never, never>,
    'observe' | 'restore' | 'newest' | 'observes' | 'drop' | 'cancel'
  >;
  private closed: Promise<void> | undefined;

  /** Accepts no new requests, lets those in flight finish for at most `closeTimeoutMs`, and rejects the rest with EndpointClosed. */
  close(): Promise<void> {
    return (this.closed ??= this.shutDown());
  }

  /** Keeps the peer until `forgetPeer`: over UDP its answers are remembered, over TCP its connection may be idle. */
  abstract keepPeer(peer: Peer): void;

  /** Drops observations, and rejects everything that waits for the peer with PeerForgotten. */
  abstract forgetPeer(peer: Peer): void;

  /**
   * Sends a request once previous ones to the peer have ended, and returns the complete response, whatever its code.
   * @throws (as a rejection) RequestTimedOut, RequestAbandoned, PeerReset, NotConnected, QueueFull,
   * BlockTransferFailed, UnusableResponse, MessageTooLarge, UnencodableMessage, PeerForgotten, EndpointClosed; what the
   * source of the request rejects with
   */
  request(peer: Peer, request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.requester.request(peer, request, { intent: 'plain' });
  }

  /**
   * Sends a request with Observe 0. The handler may be called before the promise resolves. With a token that is already in
   * use, the observation is registered again.
   * @throws what `request` throws
   */
  observe(
    peer: Peer,
    request: OutgoingRequest & { token?: Buffer },
    onNotification: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>> {
    return this.observer.observe(peer, request, onNotification);
  }

  /**
   * Recognises the notifications of an observation that another client registered, for example an earlier process. A large
   * notification can be completed only with the request. Without it, the handler gets the first block with `partial` and `ended`,
   * and over UDP the device gets a Reset. With the newest position known to that client, older notifications are dropped here as
   * well (RFC 7641 §3.4). An observation that is already known is not changed.
   */
  restoreObservation(
    peer: Peer,
    token: Buffer,
    onNotification: NotificationHandler,
    earlier: EarlierObservation = {},
  ): void {
    this.observer.restore(peer, token, onNotification, earlier);
  }

  /** The newest accepted notification of an observation of the peer. None where the transport itself keeps the order. */
  newestNotification(peer: Peer, token: Buffer): NewestNotification | undefined {
    return this.observer.newest(peer, token);
  }

  /** Whether notifications with the token belong to an observation of this endpoint. */
  observes(peer: Peer, token: Buffer): boolean {
    return this.observer.observes(peer, token);
  }

  /** Forgets an observation without sending a message. Over UDP, a Reset answers the next notification, which ends the observation. */
  forgetObservation(peer: Peer, token: Buffer): void {
    this.observer.drop(peer, token);
  }

  /**
   * Sends the request with Observe 1 and the token of the observation. However it ends, the observation is forgotten.
   * @throws what `request` throws
   */
  cancelObservation(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.observer.cancel(peer, token, request);
  }

  protected sharedGauges(): SharedGauges {
    const sums = { observations: 0, requestsOutstanding: 0, requestsQueued: 0 };
    for (const { observations, queue } of this.states()) {
      sums.observations += observations?.size ?? 0;
      sums.requestsOutstanding += queue.busy ? 1 : 0;
      sums.requestsQueued += queue.length;
    }
    return { ...sums, ...this.answering.held() };
  }

  /** The states of all peers that have one. */
  protected abstract states(): Iterable<Pick<ClientState<Observed, ResponseMessage>, 'queue' | 'observations'>>;

  protected abstract stopAccepting(): void;

  protected abstract isBusy(): boolean;

  /** Ends what is still in flight. */
  protected abstract closeTransport(): Promise<void>;

  private async shutDown(): Promise<void> {
    const { answering, core } = this;
    core.closing = true;
    for (const { queue } of this.states()) queue.abandon(new EndpointClosed());
    this.stopAccepting();
    await core.drained(() => this.isBusy());
    const closed = this.closeTransport();
    answering.clear();
    core.stopTimers();
    await closed;
  }
}
