import {
  CoapDatagramEndpoint,
  type CoapDatagramEndpointOptions,
  CoapUdpEndpoint,
  type Peer,
  peerOf,
} from '@lanyard/coap';
import type { DeviceOptions } from './device-options.js';
import { DtlsLine, dtlsServer } from './dtls-line.js';
import { localHostFor } from './local-host.js';

type OnRequest = CoapDatagramEndpointOptions['onRequest'];

/** How a device reaches its server. */
export interface DeviceLine {
  readonly server: Peer;
  /** Present for a server at `coaps://`. */
  readonly dtls?: DtlsLine;
  /** Whether data sent now can arrive. */
  readonly isOpen: boolean;
  /** Opens a socket at this local port (0: any), and over DTLS also a connection unless there is one. */
  open(port: number, onRequest: OnRequest): Promise<{ endpoint: CoapDatagramEndpoint; port: number }>;
  /** Sends to this server from now on. */
  talkTo(url: string): void;
}

/** A device that closes its socket hardly waits for messages in flight. */
const limits = { closeTimeoutMs: 50 };

const hostAndPort = (url: string, usualPort: number): { host: string; port: number } => {
  const { hostname, port } = new URL(url.replace(/^coaps?:/, 'http:'));
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usualPort) };
};

class UdpLine implements DeviceLine {
  server: Peer;
  readonly isOpen = true;
  private readonly host: string;

  constructor(url: string) {
    this.server = this.serverAt(url);
    this.host = localHostFor(hostAndPort(url, 5683).host);
  }

  async open(port: number, onRequest: OnRequest) {
    const endpoint = new CoapUdpEndpoint({ host: this.host, port, limits, onRequest });
    return { endpoint, port: (await endpoint.listen()).port };
  }

  talkTo(url: string): void {
    this.server = this.serverAt(url);
  }

  private serverAt(url: string): Peer {
    const { host, port } = hostAndPort(url, 5683);
    return peerOf(host, port);
  }
}

class SecureLine implements DeviceLine {
  readonly server = dtlsServer;
  readonly dtls: DtlsLine;

  constructor(url: string, { security, dtls = {} }: DeviceOptions) {
    if (!security) throw new Error(`${url} needs a key or a certificate`);
    this.dtls = new DtlsLine({ server: hostAndPort(url, 5684), security, ...dtls });
  }

  get isOpen(): boolean {
    return this.dtls.isOpen;
  }

  async open(port: number, onRequest: OnRequest) {
    const { dtls } = this;
    if (port === 0) dtls.forgetPort();
    const endpoint = new CoapDatagramEndpoint({ transport: dtls, limits, onRequest });
    return { endpoint, port: (await endpoint.listen()).port };
  }

  talkTo(url: string): void {
    this.dtls.talkTo(hostAndPort(url, 5684));
  }
}

/** Over UDP to `coap://`, over DTLS to `coaps://`. */
export const lineTo = (options: DeviceOptions): DeviceLine =>
  options.server.startsWith('coaps:') ? new SecureLine(options.server, options) : new UdpLine(options.server);
