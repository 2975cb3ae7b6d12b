import { EndpointClosed } from '../errors.js';
import { Requester } from '../exchange/requester.js';
import { datagramRequestSender } from '../exchange/datagram-request-sender.js';
import { type InboundDatagram } from '../exchange/answer-sender.js';
import { type Answering } from '../exchange/answering.js';
import { Responder } from '../exchange/responder.js';
import { type NotifyOutcome, type OutgoingNotification } from '../messages/notification.js';
import { Notifier } from '../observe/notifier.js';
import { DatagramObserver } from '../observe/datagram-observer.js';
import { UnmatchedReceiver } from '../observe/unmatched-receiver.js';
import { type Peer } from '../messages/peer.js';
import { type PeerState } from '../peer/peer-state.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { PeerRateLimiter } from '../peer/peer-rate-limiter.js';
import { CoapEndpoint } from './coap-endpoint.js';
import { EndpointCore } from '../state/core.js';
import { DatagramRouter } from './datagram-router.js';
import { type CoapEvent, type CoapGauges } from '../state/events.js';
import { type BoundAddress } from '../state/datagram-transport.js';
import { type CoapDatagramEndpointOptions } from '../state/options.js';

/** A source address is tracked for this long after its first message. */
const UNKNOWN_PEER_SOURCE_IDLE_MS = 60_000;

/**
 * CoAP in datagrams, in both roles (RFC 7252, 7641, 7959): it answers requests, and sends requests and notifications to
 * the same peers. Message ids, tokens and queues belong to one peer each.
 */
export class CoapDatagramEndpoint extends CoapEndpoint {
  protected readonly core: EndpointCore;
  protected readonly answering: Answering<InboundDatagram>;
  protected readonly requester: Requester<PeerState, IncomingResponse>;
  protected readonly observer: DatagramObserver;
  private readonly notifier: Notifier;
  private readonly router: DatagramRouter;

  constructor(options: CoapDatagramEndpointOptions) {
    super();
    this.core = new EndpointCore(options);
    const responder = new Responder(this.core);
    this.answering = responder.answering;
    this.requester = new Requester(this.core, datagramRequestSender(this.core));
    this.observer = new DatagramObserver(this.core, this.requester);
    this.notifier = new Notifier(this.core);
    const { limits, clock } = this.core;
    const buckets = { entriesMax: limits.unknownPeerSourcesMax, idleMs: UNKNOWN_PEER_SOURCE_IDLE_MS };
    const rateLimiter = new PeerRateLimiter(
      limits.unknownPeerRatePerSecond,
      limits.unknownPeerBurst,
      this.core.table(buckets),
      clock,
    );
    const unmatched = new UnmatchedReceiver(this.core, this.observer);
    this.router = new DatagramRouter(this.core, rateLimiter, { responder, observer: this.observer, unmatched });
  }

  /** Binds the transport. Rejects when the address is in use. */
  listen(): Promise<BoundAddress> {
    return this.core.options.transport.bind(this.router);
  }

  /**
   * Keeps state for a peer until `forgetPeer`: its last answers are remembered in that state, and its datagrams are no longer
   * subject to the rate limit for unknown peers. An observation also keeps its peer.
   */
  keepPeer(peer: Peer): void {
    this.core.peers.keep(peer);
  }

  /** Drops observations and remembered answers, and rejects everything that waits for the peer with PeerForgotten. */
  forgetPeer(peer: Peer): void {
    this.core.peers.forget(peer);
  }

  /**
   * Device role: sends a notification. A confirmable one waits in the peer's queue, and then for its acknowledgement.
   * @throws (as a rejection) QueueFull, UnencodableMessage, PeerForgotten, EndpointClosed
   */
  notify(peer: Peer, notification: OutgoingNotification): Promise<NotifyOutcome> {
    return this.notifier.notify(peer, notification);
  }

  /** How often each event happened since the start. */
  counters(): Readonly<Record<CoapEvent, number>> {
    return { ...this.core.counters };
  }

  /** Current sizes. Visits every peer, so call it for a scrape, not for each message. */
  gauges(): CoapGauges {
    const { inFlight, peers, timers } = this.core;
    return {
      ...this.sharedGauges(),
      peers: peers.size,
      keptPeers: peers.keptSize,
      requestHandlersRunning: inFlight.count('request'),
      notificationHandlersRunning: inFlight.count('notification'),
      timers: timers.size,
    };
  }

  protected states(): Iterable<PeerState> {
    return this.core.peers.all();
  }

  /** Notifications that arrive while closing are not acknowledged: their peers send them again, and another process gets them. */
  protected stopAccepting(): void {}

  protected isBusy(): boolean {
    const { inFlight, peers } = this.core;
    if (inFlight.count('request') + inFlight.count('notification') > 0) return true;
    for (const state of peers.all()) if (state.queue.busy || state.transmissions.length > 0) return true;
    return false;
  }

  protected async closeTransport(): Promise<void> {
    this.core.closed = true;
    this.core.peers.abandonAll(new EndpointClosed());
    await this.core.options.transport.close();
  }
}
