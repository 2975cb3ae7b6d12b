import { randomBytes } from 'node:crypto';
import { type BoundAddress, type DatagramReceiver, type DatagramTransport, type Peer, UdpSocket } from '@lanyard/coap';
import {
  type Address,
  type CloseReason,
  type DtlsConnection,
  DtlsServer,
  type DtlsServerOptions,
  type HandshakeFailed,
} from '@lanyard/dtls';

/** DTLS on a free UDP port, as the transport of a CoAP endpoint: a peer is a connection. It records their events. */
export class DtlsServerTransport implements DatagramTransport {
  readonly connected: DtlsConnection[] = [];
  readonly moves: [from: Address, to: Address][] = [];
  readonly closed: CloseReason[] = [];
  readonly failures: HandshakeFailed[] = [];
  /** Lengths of the plaintexts that were sent, until a client removes them. */
  readonly sent: number[] = [];
  readonly dtls: DtlsServer;
  protected readonly open = new Map<Peer['key'], DtlsConnection>();
  private receiver: DatagramReceiver | undefined;
  private readonly socket = new UdpSocket({
    host: '127.0.0.1',
    port: 0,
    receiveBufferBytes: undefined,
    onDatagram: (bytes, address, port) => this.dtls.receive(bytes, { address, port }),
    onError: () => undefined,
  });

  /** `notify`: when it is closed, its connections end with a close_notify. */
  constructor(
    accepted: Pick<DtlsServerOptions, 'keyOf' | 'certificate' | 'authenticate' | 'suites' | 'limits'>,
    private readonly notify = false,
  ) {
    this.dtls = new DtlsServer({
      ...accepted,
      newConnectionId: () => randomBytes(8),
      send: (datagram, { address, port }) => this.socket.send(datagram, address, port),
      onConnected: (connection) => {
        this.connected.push(connection);
        this.open.set(connection.id, connection);
      },
      onMessage: ({ id, remote }, plaintext) => this.receiver?.receive(plaintext, id, remote.address, remote.port),
      onMoved: (_, from, to) => this.moves.push([from, to]),
      onClosed: ({ id }, reason) => {
        this.closed.push(reason);
        this.open.delete(id);
        this.receiver?.disconnected(id);
      },
      onHandshakeFailed: (error) => this.failures.push(error),
    });
  }

  bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches({ key }: Peer): boolean {
    return this.open.has(key);
  }

  send(bytes: Buffer, { key }: Peer): void {
    this.sent.push(bytes.length);
    this.open.get(key)?.send(bytes);
  }

  async close(): Promise<void> {
    await this.dtls.close({ notify: this.notify });
    await this.socket.close();
  }
}
