import { type BoundAddress, type DatagramReceiver, type DatagramTransport, type Peer, UdpSocket } from '@lanyard/coap';
import {
  type Address,
  type CloseReason,
  type DtlsConnection,
  DtlsError,
  DtlsServer,
  type DtlsServerOptions,
} from '@lanyard/dtls';
import type { ConnectionSharing } from './connection-sharing.js';
import { connectionAddress } from './peer-address.js';

type GivenOptions = Omit<
  DtlsServerOptions,
  'send' | 'onMessage' | 'newConnectionId' | 'connectionIdBytes' | 'savesStates' | 'onUnknownConnection'
>;

export interface DtlsTransportOptions extends GivenOptions {
  host: string;
  port: number;
  receiveBufferBytes: number;
  /** A message arrived over the connection. */
  onActivity(connection: DtlsConnection): void;
  onClosed(connection: DtlsConnection, reason: CloseReason): void;
  /** A message that could not be sent, for example because the peer accepts only smaller ones. */
  onNotSent(error: DtlsError): void;
  sharing: ConnectionSharing;
}

const addressOf = (id: string): string => connectionAddress('coaps', { key: id });

/**
 * A peer is a connection, wherever its datagrams come from: `key` is the id of the connection, and `address` is the
 * address of the device in the notation of peer-address.ts.
 */
export const dtlsPeer = (id: string): Peer => {
  // Made from a Buffer, because concatenated strings keep their parts in memory.
  const address = Buffer.from(addressOf(id), 'latin1').toString('latin1');
  return { key: id, address, port: 0, authority: id };
};

/** CoAP messages in DTLS records on one UDP socket. */
export class DtlsTransport implements DatagramTransport {
  readonly server: DtlsServer;
  private readonly socket: UdpSocket;
  private receiver: DatagramReceiver | undefined;

  constructor(private readonly options: DtlsTransportOptions) {
    const { host, port, receiveBufferBytes, onClosed, onActivity, sharing, ...server } = options;
    this.socket = new UdpSocket({
      host,
      port,
      receiveBufferBytes,
      onDatagram: (datagram, address, remotePort) => this.receive(datagram, { address, port: remotePort }),
      onError: () => this.receiver?.count('socket-error'),
    });
    this.server = new DtlsServer({
      ...server,
      newConnectionId: () => sharing.newConnectionId(),
      connectionIdBytes: sharing.connectionIdBytes,
      savesStates: true,
      onUnknownConnection: (id, datagram, from) => sharing.receiveUnknown(id, datagram, from),
      send: (datagram, to) => {
        if (!sharing.sendThroughAnother(datagram, to)) this.sendDirectly(datagram, to);
      },
      onMessage: (connection, message) => {
        onActivity(connection);
        this.receiver?.receive(message, connection.id, addressOf(connection.id), 0);
      },
      onClosed: (connection, reason) => {
        this.receiver?.disconnected(connection.id);
        onClosed(connection, reason);
      },
    });
  }

  /** Processes a datagram that arrived on the socket or was forwarded by another replica. */
  receive(datagram: Buffer, from: Address): void {
    // Port 0 cannot receive an answer; such a datagram is forged.
    if (from.port === 0) this.receiver?.count('datagram-malformed');
    else if (this.options.sharing.admits(datagram, from)) this.server.receive(datagram, from);
  }

  sendDirectly(datagram: Buffer, { address, port }: Address): void {
    this.socket.send(datagram, address, port);
  }

  bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches({ key }: Peer): boolean {
    return this.server.connection(String(key)) !== undefined;
  }

  send(bytes: Buffer, { key }: Peer): void {
    try {
      if (this.options.sharing.maySend(String(key))) this.server.connection(String(key))?.send(bytes);
    } catch (error) {
      if (!(error instanceof DtlsError)) throw error;
      this.options.onNotSent(error);
    }
  }

  /** Peers whose connections do not outlive this process are told. */
  async close(): Promise<void> {
    await this.server.close({ notify: ({ connectionId }) => connectionId === undefined });
    await this.socket.close();
  }
}
