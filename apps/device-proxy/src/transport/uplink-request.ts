import type { BodySource } from '@lanyard/coap';
import type { Sender } from './sender.js';

/** A complete request of a device, with its blocks put together. */
export interface UplinkRequest {
  sender: Sender;
  /** In the notation of peer-address.ts. */
  address: string;
  method: string;
  /** Segments, decoded. */
  path: readonly string[];
  query: readonly string[];
  contentFormat?: number;
  accept?: number;
  payload: Buffer;
}

export interface UplinkReply {
  /** `2.04` */
  code: string;
  location?: readonly string[];
  diagnostic?: string;
  payload?: Buffer;
  /** Used instead of a payload, and sent block by block, from whatever offset the device requests. */
  source?: BodySource;
  /** 1 to 8 bytes. */
  etag?: Buffer;
  contentFormat?: number;
  /** Called when the reply has been sent: only then may requests be sent to the device. */
  onSent?: () => void;
}

/** A notification that is matched to a token and already in order (RFC 7641 §3.4). */
export interface UplinkNotification {
  sender: Sender;
  address: string;
  /** Hex. */
  token: string;
  code: string;
  contentFormat?: number;
  maxAgeSeconds?: number;
  payload: Buffer;
  /** The payload is the first block only: no value yet. The rest is fetched when the observation is known here. */
  partial: boolean;
  /** The device will send no more notifications: it did not add this service to its observers, or removed it (RFC 7641 §4.2). */
  ended?: boolean;
}
