import type { BodySource } from '@lanyard/coap';
import type { Sender } from './sender.js';

/** A request of a device, whole (blocks put together). */
export interface UplinkRequest {
  sender: Sender;
  /** As peer-address.ts writes it. */
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
  /** Instead of a payload: sent block by block, at whatever offset the device asks for. */
  source?: BodySource;
  /** 1 to 8 bytes. */
  etag?: Buffer;
  contentFormat?: number;
  /** Called when the reply has been sent: only then may requests be sent to the device. */
  onSent?: () => void;
}

/** A notification, matched to a token; already in order (RFC 7641 §3.4). */
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
  /** The device will not report again: it is not, or no longer, on its list of observers (RFC 7641 §4.2). */
  ended?: boolean;
}
