import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import {
  CoapDatagramEndpoint,
  type CoapRequest,
  type CoapResponse,
  Code,
  type DatagramReceiver,
  type DatagramTransport,
} from '@lanyard/coap';
import {
  type Address,
  type CloseReason,
  type DtlsConnection,
  DtlsServer,
  type DtlsServerOptions,
  type HandshakeFailed,
} from '@lanyard/dtls';

const connectionIdBytes = 8;
/** Longer than a client with a wrong key needs, which repeats its last flight twice. */
const handshakeMs = 8_000;

/** The server that a client connects to. */
export interface Target {
  port: number;
  /** See `DtlsTransport`. */
  sent: number[];
}

/** The credentials that a server accepts, as in `DtlsServerOptions`. */
export type Accepted = Pick<DtlsServerOptions, 'keyOf' | 'certificate' | 'authenticate' | 'suites'>;

/** DTLS on a UDP port, which records the events of its connections. */
class DtlsTransport implements DatagramTransport {
  readonly connected: DtlsConnection[] = [];
  readonly moves: [from: Address, to: Address][] = [];
  readonly closed: CloseReason[] = [];
  readonly failures: HandshakeFailed[] = [];
  /** Lengths of the plaintexts that were sent, until a client removes them. */
  readonly sent: number[] = [];
  private readonly open = new Map<string, DtlsConnection>();
  private readonly socket: Socket = createSocket('udp4');
  readonly dtls: DtlsServer;
  private receiver: DatagramReceiver | undefined;

  constructor(accepted: Accepted) {
    this.dtls = new DtlsServer({
      ...accepted,
      limits: { handshakeMs },
      newConnectionId: () => randomBytes(connectionIdBytes),
      send: (datagram, { address, port }) => this.socket.send(datagram, port, address),
      onConnected: (connection) => {
        this.connected.push(connection);
        this.open.set(connection.id, connection);
      },
      onMessage: ({ id }, plaintext) => this.receiver?.receive(plaintext, id, id, 0),
      onMoved: (_, from, to) => this.moves.push([from, to]),
      onClosed: ({ id }, reason) => {
        this.closed.push(reason);
        this.open.delete(id);
        this.receiver?.disconnected(id);
      },
      onHandshakeFailed: (error) => this.failures.push(error),
    });
    this.socket.on('message', (datagram, from) => this.dtls.receive(datagram, from));
  }

  async bind(receiver: DatagramReceiver) {
    this.receiver = receiver;
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return { ...this.address, receiveBufferBytes: this.socket.getRecvBufferSize() };
  }

  get address(): AddressInfo {
    return this.socket.address();
  }

  reaches({ key }: { key: string | number }): boolean {
    return this.open.has(String(key));
  }

  send(bytes: Buffer, { key }: { key: string | number }): void {
    this.sent.push(bytes.length);
    this.open.get(String(key))?.send(bytes);
  }

  async close(): Promise<void> {
    await this.dtls.close({ notify: true });
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }
}

/**
 * CoAP over DTLS on a free port: `GET /hello`, and `/body`, which can be written and read. For tests with third-party DTLS
 * clients; third-party devices are tested against the whole service instead.
 */
export class CoapsServer {
  readonly transport: DtlsTransport;
  private readonly endpoint: CoapDatagramEndpoint;
  private body = Buffer.alloc(0);

  private constructor(accepted: Accepted) {
    this.transport = new DtlsTransport(accepted);
    this.endpoint = new CoapDatagramEndpoint({
      transport: this.transport,
      limits: { closeTimeoutMs: 0 },
      onRequest: async (request) => this.answer(request),
    });
  }

  static async start(accepted: Accepted): Promise<CoapsServer> {
    const server = new CoapsServer(accepted);
    await server.endpoint.listen();
    return server;
  }

  /** @param port that of a NAT in front of it, if any */
  target(port = this.port): Target {
    return { port, sent: this.transport.sent };
  }

  get port(): number {
    return this.transport.address.port;
  }

  /** The connection that opened last. */
  get connection(): DtlsConnection | undefined {
    return this.transport.connected.at(-1);
  }

  stop(): Promise<void> {
    return this.endpoint.close();
  }

  private answer({ method, path, payload }: CoapRequest): CoapResponse {
    const [resource] = path;
    if (resource === 'hello') return { code: Code.Content, payload: Buffer.from('hello'), contentFormat: 0 };
    if (resource !== 'body') return { code: Code.NotFound };
    if (method === Code.GET) return { code: Code.Content, payload: this.body, contentFormat: 0 };
    this.body = Buffer.from(payload);
    return { code: Code.Changed };
  }
}
