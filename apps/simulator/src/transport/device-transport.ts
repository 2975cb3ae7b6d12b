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
  /** Stops receiving. State that continues a connection after the next `open` is kept. */
  sleep(): Promise<void>;
  /** Continues from another address, as behind a NAT that has forgotten the device. A stream connection ends. */
  rebind(): Promise<void>;
  /** Called when the server does not answer: it may not know the connection any more, so the next `open` makes a new one. */
  invalidate(): Promise<void>;
  /** Ends without telling the server, as in a power failure. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportEvents {
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /** The server has cancelled the observation with this token. */
  onObserverReset(token: Buffer): void;
  /** The connection ended, and the device did not end it. */
  onDisconnected(): void;
  /** A DTLS handshake has succeeded. */
  onHandshake(resumed: boolean): void;
}

/** Creates the transport of device number `device` of its group. Without a credential, secure transports cannot be opened. */
export type TransportOf = (
  device: number,
  to: { scheme: Scheme; credential: Proof | undefined },
  events: TransportEvents,
) => DeviceTransport;
