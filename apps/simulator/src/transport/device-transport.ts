import {
  type CoapRequest,
  type CoapResponse,
  type NotifyOutcome,
  type OutgoingNotification,
  type OutgoingRequest,
  type ReceivedResponse,
} from '@lanyard/coap';
import { type Scheme } from '../settings/server-url.js';
import { type Proof } from './credentials.js';

/** A server with its literal address. */
export interface Server {
  address: string;
  port: number;
}

/** A device's connection to its server. All calls reject with a CoapError, a DtlsError or a socket error. */
export interface DeviceTransport {
  /** Opens the socket or the connection unless it is open, and uses this server from now on. */
  open(server: Server): Promise<void>;
  readonly isOpen: boolean;
  /** Observations end with the connection (RFC 8323 §7.4). */
  readonly endsObservations: boolean;
  request(request: OutgoingRequest): Promise<ReceivedResponse>;
  notify(notification: OutgoingNotification): Promise<NotifyOutcome>;
  /** Stops receiving. What continues a connection after the next `open` is kept. */
  sleep(): Promise<void>;
  /** Continues from another address, as behind a NAT that has forgotten the device. A stream ends. */
  rebind(): Promise<void>;
  /** The server does not answer, so it may not know the connection (any more): the next `open` makes another one. */
  doubt(): Promise<void>;
  /** Ends without a word to the server, as in a power failure. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportEvents {
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /** The server has cancelled the observation with this token. */
  onObserverReset(token: Buffer): void;
  /** The connection ended, and the device did not end it. */
  onDisconnected(): void;
  /** A DTLS handshake has ended well. */
  onHandshake(resumed: boolean): void;
}

/** A transport of device number `device` of its group. Without a credential the secure ones cannot be opened. */
export type TransportOf = (
  device: number,
  to: { scheme: Scheme; credential: Proof | undefined },
  events: TransportEvents,
) => DeviceTransport;
