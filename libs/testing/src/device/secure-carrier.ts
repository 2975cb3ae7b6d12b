import {
  CoapDatagramEndpoint,
  type CoapDatagramEndpointOptions,
  CoapStreamEndpoint,
  type OutgoingNotification,
  type OutgoingRequest,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';
import { type DeviceSecurity, tlsOptions } from './device-security.js';
import { DtlsLine, type DtlsLineOptions, dtlsServer } from './dtls-line.js';

type OnRequest = CoapDatagramEndpointOptions['onRequest'];

/** Carries the messages of a secure device. */
export interface SecureCarrier {
  readonly isConnected: boolean;
  /** Rejects when the server refuses the device. */
  connect(port: number, security?: DeviceSecurity): Promise<void>;
  request(request: OutgoingRequest): Promise<ReceivedResponse>;
  notify(notification: OutgoingNotification): void;
  disconnect(): void;
  close(): Promise<void>;
}

/** CoAP over TLS, or over TCP without security. */
export class StreamCarrier implements SecureCarrier {
  private readonly endpoint: CoapStreamEndpoint;
  private peer: Peer | undefined;

  constructor(onRequest: OnRequest) {
    this.endpoint = new CoapStreamEndpoint({ host: '127.0.0.1', onRequest });
  }

  get isConnected(): boolean {
    return this.peer !== undefined && this.endpoint.isConnected(this.peer);
  }

  async connect(port: number, security?: DeviceSecurity): Promise<void> {
    this.peer = await this.endpoint.connect({
      host: '127.0.0.1',
      port,
      ...(security && { tls: tlsOptions(security) }),
    });
  }

  request(request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.endpoint.request(this.peer!, request);
  }

  notify(notification: OutgoingNotification): void {
    this.endpoint.notify(this.peer!, notification);
  }

  disconnect(): void {
    if (this.peer) this.endpoint.disconnect(this.peer, 'bye');
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }
}

/** CoAP over DTLS. Each connection has a socket of its own. */
export class DtlsCarrier implements SecureCarrier {
  private readonly endpoints: CoapDatagramEndpoint[] = [];
  /** The line of the current connection. */
  line: DtlsLine | undefined;

  constructor(
    private readonly onRequest: OnRequest,
    private readonly options: Pick<DtlsLineOptions, 'connectionId' | 'handshakeMs' | 'localHost'>,
  ) {}

  get isConnected(): boolean {
    return this.line?.isOpen ?? false;
  }

  async connect(port: number, security?: DeviceSecurity): Promise<void> {
    if (!security) throw new Error('DTLS needs a key or a certificate');
    const line = new DtlsLine({ server: { host: '127.0.0.1', port }, security, ...this.options });
    const endpoint = new CoapDatagramEndpoint({
      transport: line,
      limits: { closeTimeoutMs: 50 },
      ackTimeoutMs: 300,
      onRequest: this.onRequest,
    });
    await endpoint.listen();
    this.line = line;
    this.endpoints.push(endpoint);
  }

  request(request: OutgoingRequest): Promise<ReceivedResponse> {
    return this.present.request(dtlsServer, request);
  }

  notify(notification: OutgoingNotification): void {
    this.present.notify(dtlsServer, notification).catch(() => undefined);
  }

  disconnect(): void {
    this.line?.disconnect();
  }

  async close(): Promise<void> {
    await Promise.all(this.endpoints.splice(0).map((endpoint) => endpoint.close()));
  }

  private get present(): CoapDatagramEndpoint {
    const endpoint = this.endpoints.at(-1);
    if (!endpoint) throw new Error('not connected');
    return endpoint;
  }
}
