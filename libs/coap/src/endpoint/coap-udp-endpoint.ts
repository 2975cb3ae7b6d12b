import { isIPv4, isIPv6 } from 'node:net';
import { EndpointClosed } from '../errors.js';
import { type OutgoingRequest } from '../messages/request.js';
import { Requester } from '../exchange/requester.js';
import { Responder } from '../exchange/responder.js';
import { type ReceivedResponse } from '../messages/response.js';
import {
  type NotificationHandler,
  type NotifyOutcome,
  type Observation,
  type OutgoingNotification,
} from '../messages/notification.js';
import { Notifier } from '../observe/notifier.js';
import { type NewestNotification } from '../peer/observe-order.js';
import { type Before, Observer } from '../observe/observer.js';
import { UnmatchedReceiver } from '../observe/unmatched-receiver.js';
import { tokenKey } from '../codec/tokens.js';
import { type Peer, peerOf } from '../messages/peer.js';
import { StrangerGate } from '../peer/stranger-gate.js';
import { type CoapEndpoint } from './coap-endpoint.js';
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
export class CoapUdpEndpoint implements CoapEndpoint {
  private readonly host: string;
  private readonly core: EndpointCore;
  private readonly socket: UdpSocket;
  private readonly responder: Responder;
  private readonly requester: Requester;
  private readonly observer: Observer;
  private readonly notifier: Notifier;
  private closed: Promise<void> | undefined;

  constructor(options: CoapUdpEndpointOptions) {
    this.host = options.host ?? '0.0.0.0';
    this.core = new EndpointCore(options, (bytes, address, port) => this.socket.send(bytes, address, port));
    this.responder = new Responder(this.core);
    this.requester = new Requester(this.core);
    this.observer = new Observer(this.core, this.requester);
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

  /**
   * Takes no new requests and notifications (the peers send them again, elsewhere), lets what is in flight finish for
   * at most `closeTimeoutMs`, and closes the socket. What still waits then is rejected with EndpointClosed.
   */
  close(): Promise<void> {
    return (this.closed ??= this.shutDown());
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
   * Sends a request when the peer has capacity, and returns the complete response, whatever its code.
   * @throws (as a rejection) RequestTimedOut, PeerReset, QueueFull, BlockTransferFailed, UnusableResponse,
   * UnencodableMessage, PeerForgotten, EndpointClosed
   */
  request(peer: Peer, request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.requester.request(peer, request, { intent: 'plain' });
  }

  /**
   * Sends a request with Observe 0. The handler may be called before the promise resolves. With a token that is in use
   * the observation is registered again.
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
   * Recognises the notifications of an observation that another client registered, for example an earlier process. A
   * large notification can only be completed with the request; without it the handler gets the first block with
   * `partial` and `ended`, and the device gets a Reset. With the newest position known there, older ones are dropped
   * here either (RFC 7641 §3.4). A known observation is not changed.
   */
  restoreObservation(peer: Peer, token: Buffer, onNotification: NotificationHandler, before: Before = {}): void {
    this.observer.restore(peer, token, onNotification, before);
  }

  /** The position of the newest notification of each observation of the peer that has an accepted one. */
  newestNotifications(peer: Peer): NewestNotification[] {
    return this.observer.newest(peer);
  }

  /** Whether notifications with the token belong to an observation of this endpoint. */
  observes(peer: Peer, token: Buffer): boolean {
    return this.core.peers.get(peer.key)?.observations?.has(tokenKey(token)) ?? false;
  }

  /** Forgets an observation without a message: the next notification is answered with a Reset, which ends it. */
  forgetObservation(peer: Peer, token: Buffer): void {
    this.core.peers.get(peer.key)?.observations?.delete(tokenKey(token));
  }

  /**
   * Sends the request with Observe 1 and the token of the observation. However it ends, the observation is forgotten.
   * @throws what `request` throws
   */
  cancelObservation(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.observer.cancel(peer, token, request);
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

  /** What is held now. Visits every peer: for a scrape, not for each message. */
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

  private async shutDown(): Promise<void> {
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
