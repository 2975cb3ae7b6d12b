import {
  type BoundAddress,
  CoapDatagramEndpoint,
  type CoapLimits,
  type Peer,
  type UnmatchedNotification,
} from '@lanyard/coap';
import {
  type Address,
  type ConnectionState,
  type DtlsConnection,
  type DtlsLimits,
  type HandshakeOfClient,
  type OwnCertificate,
} from '@lanyard/dtls';
import type { Clock, Logger, Timer } from '@lanyard/service';
import type { AdmissionControl } from './admission-control.js';
import { CoapLink } from './coap-link.js';
import type { ConnectionIds } from './connection-ids.js';
import type { DtlsAuthenticator } from './dtls-authenticator.js';
import { DtlsTransport, dtlsPeer } from './dtls-transport.js';
import { connectionAddress, connectionId } from './peer-address.js';
import type { Sender, ShownCredential } from './sender.js';
import type { Gone, Transport } from './transport.js';
import { UplinkBridge } from './uplink-bridge.js';

export interface DtlsParts {
  host: string;
  port: number;
  receiveBufferBytes: number;
  ackTimeoutMs?: number;
  coapLimits: Partial<CoapLimits>;
  dtlsLimits: Partial<DtlsLimits>;
  /** A connection without a registered device ends after this time without a message. */
  idleMs: number;
  certificate?: OwnCertificate;
  ids: ConnectionIds;
  authenticator: DtlsAuthenticator;
  /** Devices of a suspended account may not connect. */
  isSuspended: (accountId: string) => boolean;
  /** Whether a registered device has this address. */
  isRegistered: (accountId: string, address: string) => boolean;
  admissionControl: AdmissionControl;
  logger: Logger;
  clock: Clock;
}

/** A connection as another process needs it to continue it. */
export interface SavedConnection {
  state: ConnectionState;
  credential: ShownCredential;
}

interface Open {
  sender: Sender;
  heardAtMs: number;
}

const sweepMs = 10_000;

/** The listener for devices over DTLS 1.2. The address of a device is its connection, wherever that comes from. */
export class CoapDtls implements Transport {
  readonly scheme = 'coaps';
  readonly uplink: UplinkBridge;
  readonly link: CoapLink;
  readonly endpoint: CoapDatagramEndpoint;
  readonly transport: DtlsTransport;
  private readonly open = new Map<string, Open>();
  private gone: Gone = () => undefined;
  private unknown: (connectionId: Buffer, datagram: Buffer, from: Address) => void = () => undefined;
  private bound: BoundAddress | undefined;
  private sweeping: Timer | undefined;

  constructor(private readonly parts: DtlsParts) {
    const { admissionControl, authenticator, logger } = parts;
    this.uplink = new UplinkBridge(admissionControl, logger);
    this.transport = this.newTransport();
    this.endpoint = new CoapDatagramEndpoint({
      transport: this.transport,
      ackTimeoutMs: parts.ackTimeoutMs,
      limits: parts.coapLimits,
      onRequest: (request) => {
        const open = this.open.get(request.peer.authority);
        const address = connectionAddress(this.scheme, request.peer);
        // The connection has ended: the answer cannot be delivered.
        if (!open) throw new Error(`request from an unknown peer: ${address}`);
        return this.uplink.handle(request, open.sender, address);
      },
      onNotification: (notification) => this.unmatched(notification),
      onHandlerError: (error) =>
        logger.warn({ err: error }, 'message of a device not handled: it will be retransmitted'),
    });
    authenticator.onDisconnect((peer, why) => this.close(peer, why));
    this.link = new CoapLink(this.endpoint, {
      addressOf: (peer) => connectionAddress(this.scheme, peer),
      peerOf: (address) => dtlsPeer(connectionId(address)),
      accountOf: (peer) => this.open.get(peer.authority)?.sender.accountId,
      disconnect: (peer, why) => this.close(peer, why),
    });
  }

  onGone(gone: Gone): void {
    this.gone = gone;
  }

  /** Registers what takes records with a connection id that is not known here. Its buffers are valid only during the call. */
  onUnknownConnection(unknown: (connectionId: Buffer, datagram: Buffer, from: Address) => void): void {
    this.unknown = unknown;
  }

  /** Undefined when the connection is over. */
  save(id: string): SavedConnection | undefined {
    const credential = this.open.get(id)?.sender.credential;
    const state = this.transport.server.connection(id)?.state();
    return state && credential && { state, credential };
  }

  /**
   * Continues a connection of another process, as `DtlsServer.restore` says. False when its device may not connect any more:
   * the device is told. @throws InvalidState
   */
  restore({ state, credential }: SavedConnection, takeOver: { takeOvers: number; remote?: Address }): boolean {
    if (this.open.has(state.id)) return true;
    const connection = this.transport.server.restore(state, takeOver);
    const peer = dtlsPeer(state.id);
    const isAdmitted = this.admit(peer, this.parts.authenticator.restored(peer, state, credential));
    if (!isAdmitted) connection.close();
    return isAdmitted;
  }

  async start(): Promise<void> {
    const { certificate, clock, idleMs, logger, receiveBufferBytes: asked } = this.parts;
    this.bound = await this.endpoint.listen();
    this.sweeping = clock.every(Math.min(sweepMs, idleMs), () => this.endIdle());
    const { address, port, receiveBufferBytes: granted } = this.bound;
    const url = `coaps://${address.includes(':') ? `[${address}]` : address}:${port}`;
    if (granted < asked)
      logger.warn(
        { url, asked, granted },
        'the kernel grants less room for datagrams than requested: if many devices send at once, some are lost and retransmitted. Raise net.core.rmem_max',
      );
    logger.info({ url, certificates: certificate !== undefined }, 'CoAP over DTLS is on');
  }

  async stop(): Promise<void> {
    this.sweeping?.cancel();
    await this.endpoint.close();
  }

  /** Bound UDP port. */
  get port(): number {
    return this.bound?.port ?? 0;
  }

  /** Closes every open connection of devices of the account. */
  disconnect(accountId: string, why: string): void {
    for (const [id, { sender }] of this.open) if (sender.accountId === accountId) this.close(dtlsPeer(id), why);
  }

  private newTransport(): DtlsTransport {
    const { authenticator, certificate, clock, dtlsLimits, host, ids, logger, port, receiveBufferBytes } = this.parts;
    return new DtlsTransport({
      host,
      port,
      receiveBufferBytes,
      limits: dtlsLimits,
      ...(certificate && { certificate }),
      keyOf: (identity, handshake) => authenticator.keyOf(identity, handshake),
      authenticate: (credential, handshake) => authenticator.authenticate(credential, handshake),
      newConnectionId: () => ids.next(),
      connectionIdBytes: ids.bytes,
      onConnected: (connection, handshake) => this.connected(connection, handshake),
      onHeard: ({ id }) => {
        const open = this.open.get(id);
        if (open) open.heardAtMs = clock.now();
      },
      onClosed: (connection) => this.connectionClosed(connection),
      onHandshakeFailed: (error, _client, handshake) => authenticator.handshakeFailed(error, handshake),
      onUnknownConnection: (id, datagram, from) => this.unknown(id, datagram, from),
      onNotSent: (error) => logger.warn({ err: error }, 'message to a device not sent'),
    });
  }

  private connected(connection: DtlsConnection, handshake: HandshakeOfClient): void {
    const peer = dtlsPeer(connection.id);
    if (!this.admit(peer, this.parts.authenticator.connected(peer, connection, handshake))) connection.close();
  }

  private admit(peer: Peer, sender: Sender | undefined): boolean {
    if (!sender || this.parts.isSuspended(sender.accountId)) return false;
    this.open.set(peer.authority, { sender, heardAtMs: this.parts.clock.now() });
    return true;
  }

  private close({ authority: id }: Peer, why: string): void {
    const connection = this.transport.server.connection(id);
    if (!connection) return;
    this.parts.logger.debug({ address: `coaps://${id}`, why }, 'connection of a device closed');
    connection.close();
  }

  private connectionClosed({ id }: DtlsConnection): void {
    const peer = dtlsPeer(id);
    const open = this.open.get(id);
    this.open.delete(id);
    this.parts.authenticator.connectionClosed(peer);
    if (open) this.gone(open.sender.accountId, connectionAddress(this.scheme, peer));
  }

  /** Of devices that have no session here: they were never registered, or have another connection by now. */
  private endIdle(): void {
    const { clock, idleMs, isRegistered } = this.parts;
    const before = clock.now() - idleMs;
    for (const [id, { heardAtMs, sender }] of this.open) {
      const peer = dtlsPeer(id);
      if (heardAtMs < before && !isRegistered(sender.accountId, connectionAddress(this.scheme, peer)))
        this.close(peer, 'idle');
    }
  }

  /** Of an observation that the device makes by itself and that is not known here yet, or of none. */
  private async unmatched(notification: UnmatchedNotification): Promise<'accepted' | 'rejected'> {
    if (notification.partial) return 'rejected';
    return (await this.link.offer(notification)) ? 'accepted' : 'rejected';
  }
}
