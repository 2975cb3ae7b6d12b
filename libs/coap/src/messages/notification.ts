import { type Peer } from './peer.js';

/** A response that belongs to no pending request and no observation of this endpoint. */
export interface UnmatchedNotification {
  peer: Peer;
  token: Buffer;
  /** The same in hex. */
  tokenKey: string;
  code: number;
  /** Absent in a notification that ends an observation, and in a late response to a forgotten request. */
  observe?: number;
  payload: Buffer;
  contentFormat?: number;
  maxAgeSeconds?: number;
  etag?: Buffer;
  confirmable: boolean;
  /** The payload is only the first block. Without the request the rest cannot be fetched. */
  partial: boolean;
}

/** A notification that matched an observation. */
export interface CoapNotification extends UnmatchedNotification {
  /**
   * The last one: not a success, or without an Observe number. The observation is forgotten once this was accepted. One with an
   * unknown critical option, which gets a Reset, is the last one too: its code is 4.02 here, and its payload is empty.
   */
  ended: boolean;
}

/**
 * Takes a notification. It resolves when the value is safe; only then is a confirmable notification acknowledged. When
 * it rejects nothing is acknowledged and the device sends the notification again; one that will not be repeated is
 * offered again, `notificationRetriesMax` times. Calls are made in the order of arrival and may overlap. A notification
 * that is older than another (RFC 7641 §3.4) is offered only if that other one was not accepted.
 */
export type NotificationHandler = (notification: CoapNotification) => Promise<void>;

/** The result of `observe`. */
export interface Observation<Response> {
  /** The first representation, or the refusal. */
  response: Response;
  token: Buffer;
  /** False when the answer had no Observe option: it was a plain read and no notifications follow. */
  observing: boolean;
  /** Forgets the observation without a message: the next notification is answered with a Reset, which ends it. */
  cancel(): void;
  /** From now on this handler takes the notifications: one that many share, instead of the one this began with. */
  handOver(handler: NotificationHandler): void;
}

/** A notification to send, in the role of the device. */
export interface OutgoingNotification {
  /** The token of the request that registered the observation. */
  token: Buffer;
  /** 24 bits, increasing. Leave it out in a notification that ends the observation. */
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

/** `sent` for a non-confirmable notification, whose Reset would arrive at `onObserverReset`. */
export type NotifyOutcome = 'acknowledged' | 'reset' | 'timed-out' | 'sent';
