import {
  type BoundAddress,
  type DatagramReceiver,
  type DatagramTransport,
  NotConnected,
  type Peer,
  UdpSocket,
} from '@lanyard/coap';
import { DtlsClient, type DtlsClientOptions, DtlsError, type ResumableSession } from '@lanyard/dtls';

export interface DtlsLineOptions {
  /** Literal address to bind. */
  host: string;
  client: Pick<
    DtlsClientOptions,
    'psk' | 'certificate' | 'rawPublicKeys' | 'authenticate' | 'connectionId' | 'timers' | 'limits'
  >;
  /** The connection ended, and this side did not end it. */
  onDisconnected(): void;
}

/**
 * A DTLS client and its socket, as the transport of a CoAP endpoint. The connection outlives the socket, which can be
 * replaced: the server then sees another address.
 */
export class DtlsLine implements DatagramTransport {
  private socket: UdpSocket | undefined;
  private port = 0;
  private receiver: DatagramReceiver | undefined;
  private server: Peer | undefined;
  private client: DtlsClient | undefined;
  private session: ResumableSession | undefined;

  constructor(private readonly options: DtlsLineOptions) {}

  get isConnected(): boolean {
    return this.client?.isOpen ?? false;
  }

  /** Binds the previous port, unless another process has it. */
  async bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    const open = (port: number): Promise<BoundAddress> => {
      this.socket = new UdpSocket({
        host: this.options.host,
        port,
        receiveBufferBytes: undefined,
        onDatagram: (bytes) => this.client?.receive(bytes),
        onError: () => receiver.count('socket-error'),
      });
      return this.socket.bind();
    };
    const bound = await open(this.port).catch(() => open(0));
    this.port = bound.port;
    return bound;
  }

  /** Continues from another port. */
  async rebind(): Promise<void> {
    const { socket, receiver } = this;
    this.port = 0;
    if (!socket || !receiver) return;
    await this.bind(receiver);
    await socket.close();
  }

  /** Makes a handshake with this server unless it is connected; resumes the previous session. Rejects with HandshakeFailed. */
  async connect(server: Peer): Promise<'connected' | 'resumed' | 'new'> {
    if (this.isConnected && this.server?.key === server.key) return 'connected';
    this.disconnect();
    this.server = server;
    const { session } = this;
    const client = new DtlsClient({
      ...this.options.client,
      ...(session && { session }),
      send: (datagram) => this.socket?.send(datagram, server.address, server.port),
      onMessage: (plaintext) => this.receiver?.receive(plaintext, server.key, server.address, server.port),
      onClosed: () => this.closed(client, server),
    });
    this.client = client;
    await client.connect();
    this.session = client.session;
    return session !== undefined && client.session?.id.equals(session.id) === true ? 'resumed' : 'new';
  }

  /** Ends the connection with a close_notify. */
  disconnect(): void {
    const { client } = this;
    this.client = undefined;
    client?.close();
  }

  /** Forgets the connection without telling the server. */
  abandon(): void {
    this.client = undefined;
  }

  reaches(): boolean {
    return this.isConnected;
  }

  send(bytes: Buffer): void {
    try {
      if (!this.client) throw new NotConnected();
      this.client.send(bytes);
    } catch (error) {
      // Treated as if the datagram were lost: the endpoint sends it again, or its request times out.
      if (!(error instanceof DtlsError || error instanceof NotConnected)) throw error;
    }
  }

  async close(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    this.receiver = undefined;
    await socket?.close();
  }

  private closed(client: DtlsClient, server: Peer): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.receiver?.disconnected(server.key);
    this.options.onDisconnected();
  }
}
