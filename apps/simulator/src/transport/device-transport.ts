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

/** A device's connection to its server. All calls reject with a CoapError or a socket error. */
export interface DeviceTransport {
  /** Opens the socket or the connection unless it is open, and uses this server from now on. */
  open(server: Server): Promise<void>;
  readonly isOpen: boolean;
  request(request: OutgoingRequest): Promise<ReceivedResponse>;
  notify(notification: OutgoingNotification): Promise<NotifyOutcome>;
  /** Stops receiving; it can be opened again. */
  close(): Promise<void>;
}

export interface TransportEvents {
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /** The server has cancelled the observation with this token. */
  onObserverReset(token: Buffer): void;
  /** The connection ended without a call of `close`. */
  onDisconnected(): void;
}

export type TransportOf = (device: number, events: TransportEvents) => DeviceTransport;
