import {
  type BoundAddress,
  CoapDatagramEndpoint,
  type CoapLimits,
  type CoapResponse,
  Code,
  type Peer,
  peerOf,
  type PeerRadio,
} from '@lanyard/coap';
import {
  type Address,
  type CloseReason,
  type DtlsConnection,
  type DtlsLimits,
  encodePublicKey,
  type HandshakeOfClient,
  type OwnCertificate,
} from '@lanyard/dtls';
import type { Clock, Logger, Timer } from '@lanyard/service';
import { answersPerPeerMax } from '../limits.js';
import type { AdmissionControl } from './admission-control.js';
import { CoapLink } from './coap-link.js';
import type { Connected } from './connection-authenticator.js';
import type { ConnectionSharing, DtlsHost, SavedConnection } from './connection-sharing.js';
import type { DtlsAuthenticator } from './dtls-authenticator.js';
import { DtlsTransport, dtlsPeer } from './dtls-transport.js';
import { connectionId } from './peer-address.js';
import { blockBytesIn, blockBytesLargest } from './record-blocks.js';
import type { Sender } from './sender.js';
import type { DisconnectListener, RadioOf, Transport } from './transport.js';
import { offerUnmatched } from './unmatched.js';
import { UplinkBridge } from './uplink-bridge.js';

export interface DtlsParts {
  host: string;
  port: number;
  receiveBufferBytes: number;
  ackTimeoutMs?: number;
  radioOf: RadioOf;
  /** Time until the first retransmission of a handshake flight to a device; undefined: that of the listener. */
  handshakeTimerOf: (sender: Sender) => number | undefined;
  coapLimits: Partial<CoapLimits>;
  dtlsLimits: Partial<DtlsLimits>;
  /** A connection without a registered device ends after this time without a message. */
  idleMs: number;
  certificate?: OwnCertificate;
  sharing: ConnectionSharing;
  authenticator: DtlsAuthenticator;
  /** Devices of a suspended account may not connect. */
  isSuspended: (accountId: string) => boolean;
  isRegistered: (accountId: string, address: string) => boolean;
  /** When the registration of the device at this address expires; 0: there is none. */
  registeredUntilMs: (accountId: string, address: string) => number;
  /** Called when another replica has the connection: drops the session unless it is still this replica's. */
  confirmSession: (accountId: string, address: string) => Promise<void>;
  admissionControl: AdmissionControl;
  logger: Logger;
  clock: Clock;
}

/** What this listener keeps in the `data` of a DtlsConnection. */
interface Open extends Connected {
  /** The number of sweeps before its last message: unlike the time, it does not jump when the clock is set. */
  sweepsBefore: number;
}

const openOn = (connection: DtlsConnection | undefined): Open | undefined => connection?.data as Open | undefined;

const sweepMsMax = 10_000;

/** The listener for devices over DTLS 1.2. The address of a device is its connection, wherever its datagrams come from. */
export class CoapDtls implements Transport, DtlsHost {
  readonly scheme = 'coaps';
  readonly uplink: UplinkBridge;
  readonly link: CoapLink;
  readonly endpoint: CoapDatagramEndpoint;
  readonly transport: DtlsTransport;
  private goneListener: DisconnectListener = () => undefined;
  private takenOverListener: DisconnectListener = () => undefined;
  private bound: BoundAddress | undefined;
  private sweeping: Timer | undefined;
  private sweeps = 0;
  private certificate: OwnCertificate | undefined;

  constructor(private readonly parts: DtlsParts) {
    const { admissionControl, authenticator, logger } = parts;
    this.certificate = parts.certificate;
    this.uplink = new UplinkBridge(admissionControl, logger);
    this.transport = this.newTransport();
    this.endpoint = new CoapDatagramEndpoint({
      transport: this.transport,
      ackTimeoutMs: parts.ackTimeoutMs,
      limits: { answersPerPeerMax, ...parts.coapLimits },
      radioOf: (peer) => this.radioOf(peer),
      sourceOf: (address) => this.sourceOf(address),
      onRequest: (request) => {
        const open = this.openWith(request.peer.authority);
        // The connection has ended: the answer cannot be delivered.
        if (!open) throw new Error(`request from an unknown peer: ${request.peer.address}`);
        return this.whenSaved(open.peer, this.uplink.handle(request, open.sender, open.peer.address));
      },
      onNotification: (notification) => offerUnmatched(this.endpoint, this.link, notification),
      onHandlerError: (error) =>
        logger.warn({ err: error }, 'message of a device not handled: it will be retransmitted'),
    });
    authenticator.onDisconnect((peer, why) => this.close(peer, why));
    this.link = new CoapLink(this.endpoint, {
      addressOf: ({ address }) => address,
      peerOf: (address) => this.peerWith(connectionId(address)),
      senderOf: ({ authority }) => this.openWith(authority)?.sender,
      remoteOf: ({ authority }) => this.remoteOf(authority),
      disconnect: (peer, why) => this.close(peer, why),
    });
  }

  /** Sets the listener for connections that have ended here. */
  onGone(listener: DisconnectListener): void {
    this.goneListener = listener;
  }

  /** Registers what is called when a connection of another replica was taken over: its session is taken over as well. */
  onTakenOver(listener: DisconnectListener): void {
    this.takenOverListener = listener;
  }

  /** Applies to handshakes from now on. */
  replaceCertificate(certificate: OwnCertificate): void {
    this.transport.server.replaceCertificate(certificate);
    this.certificate = certificate;
  }

  /** The SubjectPublicKeyInfo (DER) that this listener presents to devices with raw public keys; undefined: it admits none. */
  get publicKey(): Buffer | undefined {
    return this.certificate && encodePublicKey(this.certificate.privateKey);
  }

  receive(datagram: Buffer, from: Address): void {
    this.transport.receive(datagram, from);
  }

  send(datagram: Buffer, to: Address): void {
    this.transport.sendDirectly(datagram, to);
  }

  connection(id: string): DtlsConnection | undefined {
    return this.transport.server.connection(id);
  }

  save(id: string): SavedConnection | undefined {
    const connection = this.connection(id);
    const credential = openOn(connection)?.sender.credential;
    return connection && credential && { state: connection.state(), credential };
  }

  hasRoomFor(from: Address): boolean {
    return this.transport.server.hasRoomFor(from);
  }

  /** If the device may no longer connect, it is told. */
  restore({ state, credential }: SavedConnection, takeOvers: number, from?: Address): boolean {
    if (this.openWith(state.id)) return true;
    const connection = this.transport.server.restore(state, { takeOvers, from });
    const isAdmitted = this.admit(connection, this.parts.authenticator.senderOfRestored(state, credential));
    if (!isAdmitted) connection.close();
    return isAdmitted;
  }

  async lose(id: string): Promise<void> {
    const open = this.openWith(id);
    try {
      // After this, work that waits for an answer of the device ends with the session, not with the connection.
      if (open) await this.parts.confirmSession(open.sender.accountId, open.peer.address);
    } finally {
      // Also when Redis does not answer, because another replica sends and receives on the connection.
      this.connection(id)?.endWith('taken-over');
    }
  }

  registeredUntilMs(id: string): number {
    const open = this.openWith(id);
    return open ? this.parts.registeredUntilMs(open.sender.accountId, open.peer.address) : 0;
  }

  /** Continues the connection at this address before its device sends anything. False: that is impossible, or another replica has it. */
  resume(address: string): Promise<boolean> {
    return this.parts.sharing.resume(connectionId(address));
  }

  arrived(id: string): void {
    const open = this.openWith(id);
    if (open) this.takenOverListener(open.sender.accountId, open.peer.address);
  }

  async start(): Promise<void> {
    await this.parts.sharing.start(this);
    const { certificate, clock, logger, receiveBufferBytes: asked } = this.parts;
    this.bound = await this.endpoint.listen();
    this.sweeping = clock.every(this.sweepMs, () => this.endIdle());
    const { address, port, receiveBufferBytes: granted } = this.bound;
    const url = `coaps://${address.includes(':') ? `[${address}]` : address}:${port}`;
    if (granted < asked)
      logger.warn(
        { url, asked, granted },
        'the kernel grants less room for datagrams than requested: if many devices send at once, some are lost and retransmitted. Raise net.core.rmem_max',
      );
    logger.info({ url, certificates: (certificate?.chain.length ?? 0) > 0 }, 'CoAP over DTLS is on');
  }

  async stop(): Promise<void> {
    this.sweeping?.cancel();
    await this.endpoint.close();
    await this.parts.sharing.stop();
  }

  get port(): number {
    return this.bound?.port ?? 0;
  }

  disconnect(accountId: string, why: string): void {
    for (const connection of this.transport.server.all()) {
      const open = openOn(connection);
      if (open?.sender.accountId === accountId) this.close(open.peer, why);
    }
  }

  private newTransport(): DtlsTransport {
    const { authenticator, certificate, dtlsLimits, host, logger, port, receiveBufferBytes, sharing } = this.parts;
    return new DtlsTransport({
      host,
      port,
      receiveBufferBytes,
      limits: dtlsLimits,
      ...(certificate && { certificate }),
      keyOf: (identity, handshake) => authenticator.keyOf(identity, handshake),
      authenticate: (credential, handshake) => authenticator.authenticate(credential, handshake),
      retransmissionMs: (handshake) => {
        const sender = authenticator.senderOf(handshake);
        return sender && this.parts.handshakeTimerOf(sender);
      },
      sharing,
      onConnected: (connection, handshake) => this.connected(connection, handshake),
      onActivity: (connection) => {
        const open = openOn(connection);
        if (open) open.sweepsBefore = this.sweeps;
      },
      onClosed: (connection, reason) => this.connectionClosed(connection, reason),
      onHandshakeFailed: (error, _client, handshake) => authenticator.handshakeFailed(error, handshake),
      onNotSent: (error) => logger.warn({ err: error }, 'message to a device not sent'),
    });
  }

  private connected(connection: DtlsConnection, handshake: HandshakeOfClient): void {
    if (this.admit(connection, this.parts.authenticator.senderOf(handshake))) this.parts.sharing.opened(connection);
    else connection.close();
  }

  private admit(connection: DtlsConnection, sender: Sender | undefined): boolean {
    if (!sender || this.parts.isSuspended(sender.accountId)) return false;
    const open: Open = { peer: dtlsPeer(connection.id), sender, sweepsBefore: this.sweeps };
    connection.data = open;
    this.parts.authenticator.opened(open);
    return true;
  }

  private openWith(id: string): Open | undefined {
    return openOn(this.connection(id));
  }

  /** The device, which may have several connections, each with an address of its own. */
  private sourceOf(address: string): string {
    const sender = this.openWith(connectionId(address))?.sender;
    if (sender?.endpointName !== undefined) return `${sender.accountId} ${sender.endpointName}`;
    return sender?.deviceId ?? address;
  }

  /** Also returns the peer of a connection that is over. */
  private peerWith(id: string): Peer {
    return this.openWith(id)?.peer ?? dtlsPeer(id);
  }

  private close({ authority: id }: Peer, why: string): void {
    const connection = this.connection(id);
    if (!connection) return;
    this.parts.logger.debug({ address: `coaps://${id}`, why }, 'connection of a device closed');
    connection.close();
  }

  private connectionClosed(connection: DtlsConnection, reason: CloseReason): void {
    const open = openOn(connection);
    if (open) this.parts.authenticator.closed(open);
    if (reason !== 'taken-over') this.parts.sharing.closed(connection);
    if (open) this.goneListener(open.sender.accountId, open.peer.address);
  }

  private get sweepMs(): number {
    return Math.min(sweepMsMax, this.parts.idleMs);
  }

  /** Ends idle connections of devices without a session here: they never registered, or have another connection by now. */
  private endIdle(): void {
    const { idleMs, isRegistered } = this.parts;
    this.sweeps++;
    const before = this.sweeps - Math.ceil(idleMs / this.sweepMs);
    for (const connection of this.transport.server.all()) {
      const open = openOn(connection);
      if (open && open.sweepsBefore < before && !isRegistered(open.sender.accountId, open.peer.address))
        this.close(open.peer, 'idle');
    }
  }

  /** Holds the response until the connection is saved: a device with a response can rely on another replica to continue it. */
  private async whenSaved({ authority: id }: Peer, answer: Promise<CoapResponse>): Promise<CoapResponse> {
    try {
      await this.parts.sharing.whenSaved(id);
    } catch {
      await answer;
      return { code: Code.ServiceUnavailable, maxAgeSeconds: this.parts.admissionControl.retryAfterSeconds() };
    }
    const response = await answer;
    await this.parts.sharing.whenStoredLongEnough(id);
    return response;
  }

  private radioOf({ authority: id }: Peer): PeerRadio | undefined {
    const connection = this.connection(id);
    const open = openOn(connection);
    const radio = open && this.parts.radioOf(open.sender.accountId, open.peer.address);
    const bytesMax = blockBytesIn(connection?.plaintextBytesMax ?? Infinity);
    const blockBytes = radio?.blockBytes ?? this.parts.coapLimits.blockBytes ?? blockBytesLargest;
    return blockBytes <= bytesMax ? radio : { ...radio, blockBytes: bytesMax };
  }

  private remoteOf(id: string): string | undefined {
    const remote = this.connection(id)?.remote;
    return remote && peerOf(remote.address, remote.port).authority;
  }
}
