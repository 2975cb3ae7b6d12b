import { CoapStreamEndpoint, type Peer, type StreamLimits, type StreamSecurity } from '@lanyard/coap';
import { sourceOf } from '@lanyard/dtls';
import { KeyedSets, type Logger } from '@lanyard/service';
import { CoapLink } from './coap-link.js';
import { connectionAddress, connectionPeer } from './peer-address.js';
import type { Sender } from './sender.js';
import type { Connected, ConnectionAuthenticator } from './connection-authenticator.js';
import type { DisconnectListener, Transport } from './transport.js';
import type { AdmissionControl } from './admission-control.js';
import { UplinkBridge } from './uplink-bridge.js';

export interface StreamParts {
  scheme: 'coap+tcp' | 'coaps+tcp';
  host: string;
  port: number;
  limits: Partial<StreamLimits>;
  /** Certificate and private key in PEM; both or neither. */
  certified: Pick<StreamSecurity, 'certificate' | 'privateKey'>;
  authenticator: ConnectionAuthenticator;
  /** Devices of a suspended account may not connect. */
  isSuspended: (accountId: string) => boolean;
  admissionControl: AdmissionControl;
  logger: Logger;
  events: { inc(labels: { event: string; scheme: string }): void };
}

/** The listener for devices over TLS, and over plain TCP in development (RFC 8323). */
export class CoapStream implements Transport {
  readonly scheme: StreamParts['scheme'];
  readonly uplink: UplinkBridge;
  readonly link: CoapLink;
  private readonly endpoint: CoapStreamEndpoint;
  private readonly open = new Map<Peer['key'], Connected>();
  private readonly peersOf = new KeyedSets<string, Peer>();
  private goneListener: DisconnectListener = () => undefined;
  private bound: { address: string; port: number } | undefined;

  constructor(private readonly parts: StreamParts) {
    const { scheme, host, port, limits, certified, authenticator, admissionControl, logger, events } = parts;
    this.scheme = scheme;
    this.uplink = new UplinkBridge(admissionControl, logger);
    this.endpoint = new CoapStreamEndpoint({
      host,
      port,
      limits,
      sourceOf,
      ...(scheme === 'coaps+tcp' && {
        security: { ...certified, ...(authenticator.keyOf && { keyOf: authenticator.keyOf }) },
      }),
      onRequest: (request) => {
        const open = this.open.get(request.peer.key);
        const address = connectionAddress(scheme, request.peer);
        // The connection has ended: the answer cannot be delivered.
        if (!open) throw new Error(`request from an unknown peer: ${address}`);
        return this.uplink.handle(request, open.sender, address);
      },
      // A notification of an automatic observation that is not known here yet, or of no observation.
      onNotification: async (notification) =>
        !notification.partial && (await this.link.offer(notification)) ? 'accepted' : 'rejected',
      onConnection: (peer, socket) => this.accept(peer, authenticator.authenticate(socket)),
      onDisconnected: (peer) => this.connectionClosed(peer),
      onHandshakeFailed: (error, socket) => authenticator.handshakeFailed(error, socket),
      metrics: { count: (event) => events.inc({ event, scheme }) },
      onHandlerError: (error) => logger.warn({ err: error, scheme }, 'message of a device not handled'),
    });
    authenticator.onDisconnect((peer, why) => this.endpoint.disconnect(peer, why));
    this.link = new CoapLink(this.endpoint, {
      addressOf: (peer) => connectionAddress(scheme, peer),
      peerOf: connectionPeer,
      senderOf: (peer) => this.open.get(peer.key)?.sender,
      disconnect: (peer, why) => this.endpoint.disconnect(peer, why),
    });
  }

  /** Sets the listener for connections that have ended. */
  onGone(listener: DisconnectListener): void {
    this.goneListener = listener;
  }

  async start(): Promise<void> {
    this.bound = await this.endpoint.listen();
    const url = `${this.scheme}://${this.bound.address}:${this.bound.port}`;
    if (this.scheme === 'coaps+tcp') {
      const certificates = this.parts.certified.certificate !== undefined;
      this.parts.logger.info({ url, certificates }, 'CoAP over TLS is on');
    } else
      this.parts.logger.warn(
        { url },
        'CoAP over TCP WITHOUT SECURITY is on: anyone who reaches this port can pose as any device of the account. For development only.',
      );
  }

  stop(): Promise<void> {
    return this.endpoint.close();
  }

  get port(): number {
    return this.bound?.port ?? 0;
  }

  /** In PEM. Applies to handshakes from now on. Throws when the private key belongs to another certificate. */
  replaceCertificate(certified: Required<StreamParts['certified']>): void {
    this.endpoint.replaceCertificate(certified);
  }

  /** Closes every open connection of devices of the account. */
  disconnect(accountId: string, why: string): void {
    for (const peer of [...this.peersOf.get(accountId)]) this.endpoint.disconnect(peer, why);
  }

  private accept(peer: Peer, sender: Sender | undefined): boolean {
    if (!sender || this.parts.isSuspended(sender.accountId)) return false;
    const open = { peer, sender };
    this.open.set(peer.key, open);
    this.parts.authenticator.opened(open);
    this.peersOf.add(sender.accountId, peer);
    return true;
  }

  private connectionClosed(peer: Peer): void {
    const open = this.open.get(peer.key);
    if (!open) return;
    this.open.delete(peer.key);
    this.parts.authenticator.closed(open);
    this.peersOf.delete(open.sender.accountId, open.peer);
    this.goneListener(open.sender.accountId, connectionAddress(this.scheme, peer));
  }
}
