import {
  type CoapRequest,
  type CoapResponse,
  type NotifyOutcome,
  type OutgoingNotification,
  type OutgoingRequest,
  type ReceivedResponse,
} from '@lanyard/coap';

/** A server with its literal address. */
export interface Server {
  address: string;
  port: number;
}

/** How one device talks to its server. All calls reject with a CoapError, or with what the socket says. */
export interface DeviceTransport {
  /** Opens the socket or the connection unless it is open, and talks to this server from now on. */
  open(server: Server): Promise<void>;
  readonly isOpen: boolean;
  request(request: OutgoingRequest): Promise<ReceivedResponse>;
  notify(notification: OutgoingNotification): Promise<NotifyOutcome>;
  /** The device hears nothing any more; it can be opened again. */
  close(): Promise<void>;
}

export interface TransportEvents {
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /** The server does not want the notifications with this token. */
  onObserverReset(token: Buffer): void;
  /** The connection ended, and not because of `close`. */
  onDisconnected(): void;
}

export type TransportOf = (device: number, events: TransportEvents) => DeviceTransport;
