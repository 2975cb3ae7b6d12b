import { NamedError } from '@lanyard/service';
import type { BodySource } from '@lanyard/coap';

/** The protocol-independent view of a device: requests and observations, no datagrams. */
export interface DeviceRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
  /** Path on the device, including the alternate root. */
  path: string;
  query?: readonly string[];
  contentFormat?: number;
  accept?: number;
  payload?: Buffer;
  /** Used instead of a payload, and sent block by block. */
  source?: BodySource;
  /** Called with the number of bytes of the source that the device has accepted. */
  onProgress?: (bytes: number) => void;
  /** Called when the request has its turn, before anything is sent for it; rejects with NotSent if nothing is to be sent. */
  beforeSending?: () => Promise<void>;
  /** Called for each message that is sent for the request. */
  onSent?: (message: SentMessage) => void;
}

/** One message of a request, as the device sees it. Over TCP there are no message ids. */
export interface SentMessage {
  token: Buffer;
  messageId?: number;
}

export interface DeviceAnswer {
  /** `2.05` */
  code: string;
  payload: Buffer;
  contentFormat?: number;
  maxAgeSeconds?: number;
  /** Location-Path: where something was created. */
  location?: readonly string[];
}

export interface ObservedAnswer {
  answer: DeviceAnswer;
  /** Hex. undefined when the device answered but does not observe. */
  token?: string;
}

/** The device did not answer within the time that CoAP gives it. */
export class NoAnswer extends NamedError {}

/** The answer is unusable: the request counts as not answered. */
export class UnusableAnswer extends NoAnswer {}

/** Nothing was sent: the device has no connection now, has fallen asleep, or too many requests wait for it. */
export class NotSent extends NamedError {}

/** The connection ended before the answer: the device may have executed the request. */
export class ConnectionEnded extends NamedError {}

/** The request exceeds the message size of the device; a retry does not help. */
export class NotSendable extends NamedError {}

/** The device refused to listen (RST): it executed nothing. */
export class Refused extends NamedError {}

/** The source of the body has failed; the device is not at fault. */
export class BodyUnavailable extends NamedError {}

/** The caller aborted the request, or this replica stops. */
export class RequestAborted extends NamedError {
  constructor(
    message?: string,
    options?: ErrorOptions,
    /** False: no message of the request has left, so the device executed nothing. */
    readonly isSent = true,
  ) {
    super(message, options);
  }
}

/** The position of the newest notification of an observation that Kafka has stored (RFC 7641 §3.4). */
export interface NewestReport {
  /** The Observe number of the notification. */
  number: number;
  /** Fingerprint of the payload. */
  print: number;
  ageMs: number;
}

/** Every request throws one of the errors above; RequestAborted when the signal aborts. */
export interface DeviceLink {
  request(address: string, request: DeviceRequest, signal: AbortSignal): Promise<DeviceAnswer>;
  /** Accepts notifications with the token from the moment the device confirms. */
  observe(address: string, request: DeviceRequest, signal: AbortSignal): Promise<ObservedAnswer>;
  /**
   * Accepts notifications of an observation that already exists: another replica made it, or this one before a restart. A
   * notification older than `newest` is acknowledged and discarded.
   */
  adopt(address: string, token: string, request: DeviceRequest, newest?: NewestReport): void;
  /** The newest report of an observation at the address; undefined if it had no notification here. */
  newest(address: string, token: string): NewestReport | undefined;
  cancel(address: string, request: DeviceRequest, token: string, signal: AbortSignal): Promise<void>;
  /** Notifications with the token are no longer expected; the device is told when it sends one. */
  forget(address: string, token: string): void;
  /** A device at this address has a session here. */
  hold(address: string): void;
  /** The device at this address no longer has a session here. */
  release(address: string): void;
  /** IP address and port that the device was last seen at, if its address does not contain them. */
  remoteOf?(address: string): string | undefined;
  /** Closes the connection at this address, if the transport has connections. */
  disconnect(address: string, why: string): void;
}
