import {
  type CoapDatagramEndpoint,
  EndpointClosed,
  type NotifyOutcome,
  type OutgoingNotification,
  type OutgoingRequest,
  type Peer,
  type ReceivedResponse,
  type TimerWheel,
} from '@lanyard/coap';
import { type DeviceTransport, type Server, type TransportEvents } from './device-transport.js';

export interface DatagramParts {
  /** Its number among the devices of all groups. */
  device: number;
  events: TransportEvents;
  timers: TimerWheel;
  random: () => number;
}

/** How long closing waits for messages in flight. */
export const endpointLimits = { closeTimeoutMs: 200 };

/** CoAP in datagrams, from a socket of the device's own. */
export abstract class DatagramTransport<Endpoint extends CoapDatagramEndpoint> implements DeviceTransport {
  readonly endsObservations = false;
  protected endpoint: Endpoint | undefined;
  protected peer: Peer | undefined;

  constructor(protected readonly parts: DatagramParts) {}

  abstract get isOpen(): boolean;
  abstract open(server: Server): Promise<void>;
  abstract rebind(): Promise<void>;

  async request(request: OutgoingRequest): Promise<ReceivedResponse> {
    if (!this.endpoint || !this.peer) throw new EndpointClosed();
    return this.endpoint.request(this.peer, request);
  }

  notify(notification: OutgoingNotification): Promise<NotifyOutcome> {
    if (!this.endpoint || !this.peer) return Promise.reject(new EndpointClosed());
    return this.endpoint.notify(this.peer, notification);
  }

  async sleep(): Promise<void> {
    const { endpoint } = this;
    this.endpoint = undefined;
    this.peer = undefined;
    await endpoint?.close();
  }

  /** Does nothing, because a server over plain UDP has no connection that it could have forgotten. */
  invalidate(): Promise<void> {
    return Promise.resolve();
  }

  /** Messages in flight fail at once, while the device has no power, so that the server is not blamed for their loss. */
  abandon(): Promise<void> {
    if (this.peer) this.endpoint?.forgetPeer(this.peer);
    return this.sleep();
  }

  close(): Promise<void> {
    return this.sleep();
  }

  /** Keeps the previous server too: its retransmissions must not be executed again. */
  protected talkTo(endpoint: Endpoint, peer: Peer): void {
    if (peer.key === this.peer?.key) return;
    endpoint.keepPeer(peer);
    this.peer = peer;
  }
}
