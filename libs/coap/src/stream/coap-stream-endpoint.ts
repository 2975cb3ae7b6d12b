import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { isRequestCode } from '../codec/code.js';
import { notificationResponse, writeResponseOptions } from '../codec/response-options.js';
import { type StreamMessage } from '../codec/stream-message.js';
import { CoapEndpoint } from '../endpoint/coap-endpoint.js';
import { EndpointClosed, NotConnected } from '../errors.js';
import { type Answering } from '../exchange/answering.js';
import { Requester } from '../exchange/requester.js';
import { type OutgoingNotification } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { Connection } from './connection.js';
import { Conversation, type StreamResponse } from './conversation.js';
import { StreamCore } from './core.js';
import { type StreamEvent, type StreamGauges } from './events.js';
import { type BoundStreamAddress, StreamListener } from './listener.js';
import { StreamObserver } from './observer.js';
import { type CoapStreamEndpointOptions, type StreamSecurity } from './options.js';
import { streamRequestSender } from './request-sender.js';
import { StreamResponder } from './responder.js';
import { streamPeer } from './stream-peer.js';
import { STREAM_ALPN } from './tls-options.js';

const INSPECT_EVERY_MS = 1_000;

/** The address to connect to. `tls` has the options of Node's own client, for example `pskCallback`, or `cert` and `key`. */
export interface StreamTarget {
  host: string;
  port: number;
  tls?: ConnectionOptions;
}

/**
 * CoAP over TCP or TLS in both roles (RFC 8323, with RFC 7641 and 7959): accepts and opens connections, and on each of them answers
 * and sends requests. A peer is one connection: observations and everything that waits end with it.
 */
export class CoapStreamEndpoint extends CoapEndpoint {
  protected readonly core: StreamCore;
  protected readonly requester: Requester<Conversation, StreamResponse>;
  protected readonly observer: StreamObserver;
  protected readonly answering: Answering<Conversation>;
  private readonly responder: StreamResponder;
  private readonly listener: StreamListener;
  private readonly conversations = new Map<Peer['key'], Conversation>();
  private connectionNumber = randomInt(2 ** 47);
  private inspecting = false;

  constructor(options: CoapStreamEndpointOptions) {
    super();
    this.core = new StreamCore(options);
    this.requester = new Requester(
      this.core,
      streamRequestSender(this.core, (peer) => this.conversationWith(peer)),
    );
    this.observer = new StreamObserver(this.core, this.requester, this.conversations);
    this.responder = new StreamResponder(this.core);
    this.answering = this.responder.answering;
    this.listener = new StreamListener(this.core, (socket) => this.accept(socket));
  }

  /** Binds the socket. Rejects when the address is in use. */
  listen(): Promise<BoundStreamAddress> {
    const { host = '0.0.0.0', port = 0 } = this.core.options;
    return this.listener.listen(host, port);
  }

  /** In PEM. Applies to handshakes from now on; connections stay. Throws when the private key belongs to another certificate. */
  replaceCertificate(certified: Required<Pick<StreamSecurity, 'certificate' | 'privateKey'>>): void {
    this.listener.replaceCertificate(certified);
  }

  /** Opens a connection; resolves when the peer's CSM has arrived. Rejects when the handshake fails or takes too long. */
  connect({ host, port, tls }: StreamTarget): Promise<Peer> {
    return new Promise((resolve, reject) => {
      this.core.assertOpen();
      const socket: Socket =
        tls === undefined ? connect({ host, port }) : connectTls({ ALPNProtocols: [STREAM_ALPN], ...tls, host, port });
      socket.setTimeout(this.core.limits.handshakeTimeoutMs, () => socket.destroy(new NotConnected()));
      socket.once('error', reject);
      socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
        socket.setTimeout(0);
        socket.off('error', reject);
        const conversation: Conversation = this.open(socket, {
          opened: () => resolve(conversation.connection.peer),
          closed: () => reject(new NotConnected()),
        });
      });
    });
  }

  keepPeer(peer: Peer): void {
    const conversation = this.conversations.get(peer.key);
    if (conversation !== undefined) conversation.connection.kept = true;
  }

  /** Drops observations and pending requests. The connection may stay, and is closed when it is idle. */
  forgetPeer(peer: Peer): void {
    const conversation = this.conversations.get(peer.key);
    if (conversation === undefined) return;
    conversation.connection.kept = false;
    conversation.forget();
  }

  /** Closes the connection immediately, because its peer has lost access. */
  disconnect(peer: Peer, diagnostic: string): void {
    this.conversations.get(peer.key)?.connection.abort(diagnostic);
  }

  isConnected(peer: Peer): boolean {
    return this.conversations.get(peer.key)?.connection.isOpen ?? false;
  }

  /** Device role: sends a notification. @throws NotConnected, MessageTooLarge, UnencodableMessage */
  notify(peer: Peer, notification: Omit<OutgoingNotification, 'confirmable' | 'ackTimeoutMs' | 'maxRetransmit'>): void {
    const { token, payload } = notification;
    const response = notificationResponse(notification);
    const { code } = response;
    this.conversationWith(peer).connection.send({ code, token, options: writeResponseOptions(response, {}), payload });
  }

  counters(): Readonly<Record<StreamEvent, number>> {
    return { ...this.core.counters };
  }

  /** Current sizes. Visits every connection, so call it for a scrape, not for each message. */
  gauges(): StreamGauges {
    const { running, incompleteBytes } = this.core;
    let openConnections = 0;
    for (const { connection } of this.conversations.values()) openConnections += connection.isOpen ? 1 : 0;
    return {
      ...this.sharedGauges(),
      connections: this.listener.size,
      openConnections,
      requestHandlersRunning: running.requests,
      notificationHandlersRunning: running.notifications,
      incompleteBytes,
    };
  }

  /** @throws NotConnected, EndpointClosed */
  private conversationWith(peer: Peer): Conversation {
    this.core.assertOpen();
    const conversation = this.conversations.get(peer.key);
    if (conversation === undefined) throw new NotConnected();
    return conversation;
  }

  private accept(socket: Socket | TLSSocket): void {
    // It was refused by a limit, or the peer has disconnected since the handshake.
    if (socket.destroyed || socket.remoteAddress === undefined || this.core.closing) {
      socket.destroy();
      return;
    }
    this.open(socket);
  }

  private open(socket: Socket, client?: { opened(): void; closed(): void }): Conversation {
    const peer = streamPeer(socket.remoteAddress ?? '', socket.remotePort ?? 0, (this.connectionNumber += 1));
    const conversation = new Conversation(this.core);
    const { onConnection } = this.core.options;
    if (client === undefined && onConnection && !this.core.guarded(() => onConnection(peer, socket), false)) {
      this.core.count('connection-refused');
      socket.on('error', () => socket.destroy());
      socket.destroy();
      return conversation;
    }
    this.conversations.set(peer.key, conversation);
    conversation.connection = new Connection(peer, socket, this.core, {
      opened: () => {
        this.core.count('connection-opened');
        client?.opened();
      },
      message: (message) => this.receive(conversation, message),
      closed: () => {
        this.ended(peer, conversation);
        client?.closed();
      },
      idle: () => conversation.idle,
    });
    if (client !== undefined) conversation.connection.kept = true;
    this.inspectLater();
    return conversation;
  }

  private receive(conversation: Conversation, message: StreamMessage): void {
    if (isRequestCode(message.code)) this.responder.receive(conversation, message);
    else this.observer.receive(conversation, message);
  }

  private ended(peer: Peer, conversation: Conversation): void {
    this.core.count('connection-closed');
    this.conversations.delete(peer.key);
    if (this.core.closing) conversation.abandon(new EndpointClosed(), new EndpointClosed());
    else conversation.abandon(new NotConnected(), new NotConnected(true));
    this.core.guarded(() => this.core.options.onDisconnected?.(peer), undefined);
  }

  private inspectLater(): void {
    if (this.inspecting) return;
    this.inspecting = true;
    this.core.timers.schedule(INSPECT_EVERY_MS, () => {
      this.inspecting = false;
      for (const { connection } of [...this.conversations.values()]) connection.inspect();
      if (this.conversations.size > 0) this.inspectLater();
    });
  }

  protected states(): Iterable<Conversation> {
    return this.conversations.values();
  }

  /** Ends all connections with a Release. */
  protected stopAccepting(): void {
    this.listener.stop();
    for (const { connection } of [...this.conversations.values()]) connection.release();
  }

  protected isBusy(): boolean {
    for (const { connection } of [...this.conversations.values()]) connection.inspect();
    return this.conversations.size + this.listener.size > 0;
  }

  protected async closeTransport(): Promise<void> {
    for (const { connection } of [...this.conversations.values()]) connection.destroy();
    this.listener.destroyAll();
  }
}
