import type { ConnectionOptions } from 'node:tls';
import {
  CoapStreamEndpoint,
  NotConnected,
  type NotifyOutcome,
  type OutgoingNotification,
  type OutgoingRequest,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';
import { type PreSharedKey } from './credentials.js';
import { type DeviceTransport, type Server, type TransportEvents } from './device-transport.js';
import { isPackage } from './package-blocks.js';

/** All connections of the fleet: one endpoint, whose peers are the servers as each device sees them. */
export class StreamPool {
  readonly endpoint: CoapStreamEndpoint;
  readonly devices = new Map<Peer['key'], TransportEvents>();

  constructor() {
    this.endpoint = new CoapStreamEndpoint({
      takesBlocks: isPackage,
      onRequest: (request) => {
        const device = this.devices.get(request.peer.key);
        return device ? device.onRequest(request) : Promise.reject(new NotConnected());
      },
      onDisconnected: ({ key }) => {
        const device = this.devices.get(key);
        this.devices.delete(key);
        device?.onDisconnected();
      },
    });
  }
}

const pskOptions = ({ identity, key }: PreSharedKey): ConnectionOptions => ({
  ciphers: 'PSK-AES128-CCM8:PSK-AES128-GCM-SHA256:@SECLEVEL=0',
  maxVersion: 'TLSv1.2',
  pskCallback: () => ({ identity, psk: key }),
  // The server authenticates with the key; it presents no certificate.
  checkServerIdentity: () => undefined,
});

/** CoAP over a connection (RFC 8323), with TLS when there is a credential. */
export class StreamTransport implements DeviceTransport {
  readonly endsObservations = true;
  private peer: Peer | undefined;
  private server: Server | undefined;

  constructor(
    private readonly pool: StreamPool,
    private readonly events: TransportEvents,
    private readonly credential: PreSharedKey | undefined,
  ) {}

  get isOpen(): boolean {
    return this.peer !== undefined && this.pool.endpoint.isConnected(this.peer);
  }

  async open(server: Server): Promise<void> {
    if (this.isOpen && this.server === server) return;
    await this.close();
    this.server = server;
    this.peer = await this.pool.endpoint.connect({
      host: server.address,
      port: server.port,
      ...(this.credential && { tls: pskOptions(this.credential) }),
    });
    this.pool.devices.set(this.peer.key, this.events);
  }

  async request(request: OutgoingRequest): Promise<ReceivedResponse> {
    if (!this.peer) throw new NotConnected();
    return this.pool.endpoint.request(this.peer, request);
  }

  async notify(notification: OutgoingNotification): Promise<NotifyOutcome> {
    if (!this.peer) throw new NotConnected();
    this.pool.endpoint.notify(this.peer, notification);
    return 'sent';
  }

  sleep(): Promise<void> {
    return this.close();
  }

  rebind(): Promise<void> {
    return this.close();
  }

  invalidate(): Promise<void> {
    return this.close();
  }

  abandon(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    const { peer } = this;
    this.peer = undefined;
    if (!peer) return;
    this.pool.devices.delete(peer.key);
    this.pool.endpoint.disconnect(peer, 'bye');
  }
}
