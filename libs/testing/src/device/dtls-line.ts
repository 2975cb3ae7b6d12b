import { type BoundAddress, type DatagramReceiver, type DatagramTransport, type Peer, UdpSocket } from '@lanyard/coap';
import { DtlsClient, type DtlsTimers, type ResumableSession } from '@lanyard/dtls';
import { type DeviceSecurity, dtlsOptions } from './device-security.js';
import { localHostFor } from './local-host.js';

export interface DtlsLineOptions {
  /** Where the server is; the host is a literal IP address. */
  server: { host: string; port: number };
  security: DeviceSecurity;
  /** The id on records to this device (RFC 9146). Default: none, though the server may have one; false: no ids at all. */
  connectionId?: Buffer | false;
  /** Largest plaintext of a record to this device (RFC 8449); by default, the device announces no limit. */
  recordSizeLimit?: number;
  /** Local address; default: that of `localHostFor`. */
  localHost?: string;
  /** First retransmission of a flight; default 300 ms, which makes tests quick. */
  retransmissionMs?: number;
  /** A handshake that takes longer fails; default 10 s. */
  handshakeMs?: number;
  /** Timers that a fleet shares. */
  timers?: DtlsTimers;
}

const SERVER = 'server';

/** The only peer of a DtlsLine. */
export const dtlsServer: Peer = { key: SERVER, address: SERVER, port: 0, authority: SERVER };

const NO_ID = Buffer.alloc(0);

/**
 * A device's DTLS connection to its server. It outlives its sockets: `bind` after `close` continues it from a new socket, and
 * `rebind` gives it another port, as a NAT does.
 */
export class DtlsLine implements DatagramTransport {
  private socket: UdpSocket | undefined;
  private receiver: DatagramReceiver | undefined;
  private client: DtlsClient | undefined;
  private session: ResumableSession | undefined;
  private connecting: Promise<void> | undefined;
  private localPort = 0;

  constructor(private readonly options: DtlsLineOptions) {}

  /** Whether there is a connection, as far as the device knows. */
  get isOpen(): boolean {
    return this.client?.isOpen ?? false;
  }

  /** Port of the current socket, or of the next one; 0: any. */
  get port(): number {
    return this.localPort;
  }

  /** IANA's name of the cipher suite. */
  get cipherSuite(): string | undefined {
    return this.client?.cipherSuite;
  }

  /** Opens the socket, and a connection unless there is one. Rejects when the server does not let the device in. */
  async bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    const bound = await this.openSocket(this.localPort);
    try {
      if (!this.isOpen) await this.connect();
    } catch (error) {
      await this.close();
      throw error;
    }
    return bound;
  }

  /** The next socket has another port. */
  forgetPort(): void {
    this.localPort = 0;
  }

  /** Sends from another port from now on; the connection stays. */
  async rebind(): Promise<void> {
    const before = this.socket;
    await this.openSocket(0);
    await before?.close();
  }

  /** Sends to another server from now on, over the same connection. */
  talkTo(server: DtlsLineOptions['server']): void {
    this.options.server = server;
  }

  /** Makes a new handshake, which resumes the last session if the server agrees. If it fails, an open connection stays. */
  connect(): Promise<void> {
    return (this.connecting ??= this.handshake().finally(() => (this.connecting = undefined)));
  }

  /**
   * Forgets the connection without telling the server, like a device that loses power; unless `resumes`, also the session
   * that could be resumed.
   */
  drop({ resumes = false } = {}): void {
    this.client = undefined;
    if (!resumes) this.session = undefined;
    this.receiver?.disconnected(SERVER);
  }

  /** Ends the connection with a close_notify. */
  disconnect(): void {
    this.client?.close();
  }

  reaches(): boolean {
    return this.isOpen;
  }

  send(bytes: Buffer): void {
    if (this.isOpen) this.client?.send(bytes);
  }

  /** Closes the socket only. */
  async close(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    await socket?.close();
  }

  /** Sends bytes as they are from this device's port, for tests of datagrams that are not authentic. */
  sendRaw(datagram: Buffer): void {
    const { host, port } = this.options.server;
    this.socket?.send(datagram, host, port);
  }

  private async handshake(): Promise<void> {
    const { security, connectionId = NO_ID, retransmissionMs = 300, handshakeMs = 10_000 } = this.options;
    const { recordSizeLimit, timers } = this.options;
    const client = new DtlsClient({
      ...dtlsOptions(security),
      limits: { retransmissionMs, handshakeMs },
      ...(connectionId !== false && { connectionId }),
      ...(recordSizeLimit !== undefined && { recordSizeLimit }),
      ...(timers && { timers }),
      ...(this.session && { session: this.session }),
      send: (datagram) => this.sendRaw(datagram),
      onMessage: (bytes) => this.receiver?.receive(bytes, SERVER, SERVER, 0),
      onClosed: () => {
        if (this.client === client) this.receiver?.disconnected(SERVER);
      },
    });
    const before = this.client;
    this.client = client;
    try {
      await client.connect();
      this.session = client.session ?? this.session;
    } catch (error) {
      if (this.client === client) this.client = before;
      throw error;
    }
  }

  private async openSocket(port: number): Promise<BoundAddress> {
    const { localHost, server } = this.options;
    const socket = new UdpSocket({
      host: localHost ?? localHostFor(server.host),
      port,
      receiveBufferBytes: undefined,
      onDatagram: (datagram) => this.client?.receive(datagram),
      onError: () => this.receiver?.count('socket-error'),
    });
    const bound = await socket.bind();
    this.socket = socket;
    this.localPort = bound.port;
    return bound;
  }
}
