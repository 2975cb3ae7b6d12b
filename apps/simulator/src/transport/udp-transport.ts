import {
  CoapUdpEndpoint,
  EndpointClosed,
  type NotifyOutcome,
  type OutgoingNotification,
  type OutgoingRequest,
  type Peer,
  type ReceivedResponse,
  type TimerWheel,
} from '@lanyard/coap';
import { localAddress } from './local-address.js';
import { type DeviceTransport, type Server, type TransportEvents } from './device-transport.js';

const limits = { closeTimeoutMs: 200 };

/** CoAP over UDP from a socket of its own. */
export class UdpTransport implements DeviceTransport {
  private endpoint: CoapUdpEndpoint | undefined;
  private peer: Peer | undefined;
  private port = 0;

  constructor(
    private readonly device: number,
    private readonly events: TransportEvents,
    private readonly timers: TimerWheel,
    private readonly random: () => number,
  ) {}

  get isOpen(): boolean {
    return this.peer !== undefined;
  }

  async open({ address, port }: Server): Promise<void> {
    const endpoint = this.endpoint ?? (await this.listen(localAddress(address, this.device)));
    const peer = endpoint.peer(address, port);
    if (peer.key === this.peer?.key) return;
    // The previous server is kept too: its retransmissions must not be executed again.
    endpoint.keepPeer(peer);
    this.peer = peer;
  }

  async request(request: OutgoingRequest): Promise<ReceivedResponse> {
    if (!this.endpoint || !this.peer) throw new EndpointClosed();
    return this.endpoint.request(this.peer, request);
  }

  notify(notification: OutgoingNotification): Promise<NotifyOutcome> {
    if (!this.endpoint || !this.peer) return Promise.reject(new EndpointClosed());
    return this.endpoint.notify(this.peer, notification);
  }

  async close(): Promise<void> {
    const { endpoint } = this;
    this.endpoint = undefined;
    this.peer = undefined;
    await endpoint?.close();
  }

  /** Reuses the previous port unless another process has it; the server then sees a new address. */
  private async listen(host: string): Promise<CoapUdpEndpoint> {
    const { events, timers, random } = this;
    const bind = async (port: number): Promise<CoapUdpEndpoint> => {
      const endpoint = new CoapUdpEndpoint({
        host,
        port,
        timers,
        random,
        limits,
        onRequest: events.onRequest,
        onObserverReset: ({ token }) => events.onObserverReset(token),
      });
      this.port = (await endpoint.listen()).port;
      return endpoint;
    };
    this.endpoint = await bind(this.port).catch(() => bind(0));
    return this.endpoint;
  }
}
