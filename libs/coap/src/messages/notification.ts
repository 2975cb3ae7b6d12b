import { type Peer } from './peer.js';

/** A response that belongs to no pending request and no observation of this endpoint. */
export interface UnmatchedNotification {
  peer: Peer;
  token: Buffer;
  /** The token in hex. */
  tokenKey: string;
  /** 4.02, with an empty payload, when the notification has an unknown critical option: it gets a Reset, accepted or not. */
  code: number;
  /** Absent in a notification that ends an observation, and in a late response to a forgotten request. */
  observe?: number;
  payload: Buffer;
  contentFormat?: number;
  maxAgeSeconds?: number;
  etag?: Buffer;
  confirmable: boolean;
  /** The payload is only the first block. Without the request, the other blocks cannot be fetched. */
  partial: boolean;
}

/** A notification that matched an observation. */
export interface CoapNotification extends UnmatchedNotification {
  /**
   * Whether this is the last notification: it is no success, or has no Observe number. The observation is forgotten after the handler
   * accepted it. A notification with an unknown critical option is also the last one.
   */
  ended: boolean;
}

/**
 * Handles a notification. Resolves when the value is safe; only then is a confirmable notification acknowledged. When it
 * rejects, nothing is acknowledged, and the device sends the notification again; a notification that the device will not repeat is
 * offered again `notificationRetriesMax` times. Calls are made in the order of arrival and may overlap. A notification that is older
 * than another one (RFC 7641 §3.4) is offered only if the other one was not accepted.
 */
export type NotificationHandler = (notification: CoapNotification) => Promise<void>;

/** The result of `observe`. */
export interface Observation<Response> {
  /** The first representation, or the refusal. */
  response: Response;
  token: Buffer;
  /** False when the answer had no Observe option: it was a plain read, and no notifications follow. */
  observing: boolean;
  /** Forgets the observation without sending a message. A Reset answers the next notification, which ends the observation. */
  cancel(): void;
  /** From now on this handler, which many observations may share, gets the notifications instead of the first handler. */
  handOver(handler: NotificationHandler): void;
}

/** A notification to send, in the role of the device. */
export interface OutgoingNotification {
  /** The token of the request that registered the observation. */
  token: Buffer;
  /** 24 bits, increasing. Omit it in a notification that ends the observation. */
  observeNumber?: number;
  /** Default 2.05. */
  code?: number;
  payload: Buffer;
  contentFormat?: number;
  maxAgeSeconds?: number;
  confirmable: boolean;
  ackTimeoutMs?: number;
  maxRetransmit?: number;
}

/** `sent`: for a non-confirmable notification; a Reset of it would be reported to `onObserverReset`. */
export type NotifyOutcome = 'acknowledged' | 'reset' | 'timed-out' | 'sent';
