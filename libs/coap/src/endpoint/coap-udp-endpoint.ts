import { isIPv4, isIPv6 } from 'node:net';
import { EndpointClosed } from '../errors.js';
import { Requester } from '../exchange/requester.js';
import { datagramLine } from '../exchange/round-trip.js';
import { Responder } from '../exchange/responder.js';
import { type NotifyOutcome, type OutgoingNotification } from '../messages/notification.js';
import { Notifier } from '../observe/notifier.js';
import { DatagramObserver } from '../observe/datagram-observer.js';
import { UnmatchedReceiver } from '../observe/unmatched-receiver.js';
import { type Peer, peerOf } from '../messages/peer.js';
import { type PeerState } from '../peer/peer-state.js';
import { type IncomingResponse } from '../peer/pending-request.js';
import { StrangerGate } from '../peer/stranger-gate.js';
import { CoapEndpoint } from './coap-endpoint.js';
import { EndpointCore } from '../core/core.js';
import { DatagramRouter } from './datagram-router.js';
import { drained } from './drain.js';
import { type CoapEvent, type CoapGauges } from '../core/events.js';
import { readGauges } from './gauges.js';
import { type CoapUdpEndpointOptions } from '../core/options.js';
import { type BoundAddress, UdpSocket } from './udp-socket.js';

/** A source address is tracked for this long after its first message. */
const STRANGER_SOURCE_IDLE_MS = 60_000;

/**
 * One UDP socket that speaks CoAP in both roles (RFC 7252, 7641, 7959): it answers requests, and sends requests and
 * notifications to the same peers. Message ids, tokens and queues belong to one peer each; a peer is a source address.
 */
export class CoapUdpEndpoint extends CoapEndpoint {
  private readonly host: string;
  private readonly core: EndpointCore;
  private readonly socket: UdpSocket;
  private readonly responder: Responder;
  protected readonly requester: Requester<PeerState, IncomingResponse>;
  protected readonly observer: DatagramObserver;
  private readonly notifier: Notifier;

  constructor(options: CoapUdpEndpointOptions) {
    super();
    this.host = options.host ?? '0.0.0.0';
    this.core = new EndpointCore(options, (bytes, address, port) => this.socket.send(bytes, address, port));
    this.responder = new Responder(this.core);
    this.requester = new Requester(this.core, datagramLine(this.core));
    this.observer = new DatagramObserver(this.core, this.requester);
    this.notifier = new Notifier(this.core);
    const router = this.router();
    this.socket = new UdpSocket({
      host: this.host,
      port: options.port ?? 0,
      receiveBufferBytes: options.receiveBufferBytes,
      onDatagram: (bytes, address, port) => router.receive(bytes, address, port),
      onError: () => this.core.count('socket-error'),
    });
  }

  /** Binds the socket. Rejects when the address is in use. */
  listen(): Promise<BoundAddress> {
    return this.socket.bind();
  }

  /** A peer by its address, without any state. @throws InvalidPeerAddress */
  peer(address: string, port: number): Peer {
    // An IPv6 socket sees IPv4 peers in mapped form.
    return peerOf(isIPv6(this.host) && isIPv4(address) ? `::ffff:${address}` : address, port);
  }

  /**
   * Keeps state for a peer until `forgetPeer`: its last answers are remembered with it and its datagrams are no longer
   * subject to the rate limit for strangers. An observation keeps its peer too.
   */
  keepPeer(peer: Peer): void {
    this.core.peers.keep(peer);
  }

  /** Drops observations and remembered answers, and rejects what waits for the peer with PeerForgotten. */
  forgetPeer(peer: Peer): void {
    this.core.peers.forget(peer);
  }

  /**
   * Device role: sends a notification. A confirmable one waits for the peer's turn and for its acknowledgement.
   * @throws (as a rejection) QueueFull, UnencodableMessage, PeerForgotten, EndpointClosed
   */
  notify(peer: Peer, notification: OutgoingNotification): Promise<NotifyOutcome> {
    return this.notifier.notify(peer, notification);
  }

  /** How often each event happened since the start. */
  counters(): Readonly<Record<CoapEvent, number>> {
    return { ...this.core.counters };
  }

  /** Current sizes. Visits every peer: for a scrape, not for each message. */
  gauges(): CoapGauges {
    return readGauges(this.core, this.responder);
  }

  private router(): DatagramRouter {
    const { limits, clock } = this.core;
    const buckets = { entriesMax: limits.strangerSourcesMax, idleMs: STRANGER_SOURCE_IDLE_MS };
    const gate = new StrangerGate(limits.strangerRatePerSecond, limits.strangerBurst, this.core.table(buckets), clock);
    const unmatched = new UnmatchedReceiver(this.core, this.observer);
    return new DatagramRouter(this.core, gate, this.responder, this.observer, unmatched);
  }

  /** Notifications that arrive meanwhile are sent again by their peers, elsewhere. */
  protected async shutDown(): Promise<void> {
    this.core.closing = true;
    const error = new EndpointClosed();
    for (const state of this.core.peers.all()) state.queue.abandon(error);
    await drained(this.core);
    this.core.closed = true;
    this.core.peers.abandonAll(error);
    this.responder.answering.clear();
    if (this.core.options.timers === undefined) this.core.timers.clear();
    await this.socket.close();
  }
}
