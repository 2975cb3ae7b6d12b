import { CoapDatagramEndpoint, type CoapRequest, type CoapResponse, Code } from '@lanyard/coap';
import { type DtlsConnection, type DtlsServerOptions } from '@lanyard/dtls';
import { DtlsServerTransport } from '@lanyard/testing';

/** Longer than a client with a wrong key needs, which repeats its last flight twice. */
const handshakeMs = 8_000;

/** The server that a client connects to. */
export interface Target {
  port: number;
  /** See `DtlsServerTransport`. */
  sent: number[];
}

/** The credentials that a server accepts, as in `DtlsServerOptions`. */
export type Accepted = Pick<DtlsServerOptions, 'keyOf' | 'certificate' | 'authenticate' | 'suites'>;

/**
 * CoAP over DTLS on a free port: `GET /hello`, and `/body`, which can be written and read. For tests with third-party DTLS
 * clients; third-party devices are tested against the whole service instead.
 */
export class CoapsServer {
  readonly transport: DtlsServerTransport;
  port = 0;
  private readonly endpoint: CoapDatagramEndpoint;
  private body = Buffer.alloc(0);

  private constructor(accepted: Accepted) {
    this.transport = new DtlsServerTransport({ ...accepted, limits: { handshakeMs } }, true);
    this.endpoint = new CoapDatagramEndpoint({
      transport: this.transport,
      limits: { closeTimeoutMs: 0 },
      onRequest: async (request) => this.answer(request),
    });
  }

  static async start(accepted: Accepted): Promise<CoapsServer> {
    const server = new CoapsServer(accepted);
    server.port = (await server.endpoint.listen()).port;
    return server;
  }

  /** @param port that of a NAT in front of it, if any */
  target(port = this.port): Target {
    return { port, sent: this.transport.sent };
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
