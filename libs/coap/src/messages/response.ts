import { type BodyBlock } from './body-block.js';
import { type BodySource } from './body-source.js';

/** An answer to a request. A payload larger than one block is sent block-wise. */
export interface CoapResponse {
  /** One of the response codes of `Code`. */
  code: number;
  payload?: Buffer;
  /**
   * Used instead of a payload, for GET and FETCH without Observe: up to 64 MiB (`SOURCE_BYTES_MAX`), of which nothing is kept. The
   * handler is called for each block, at any offset, and returns the same ETag while the body is the same.
   */
  source?: BodySource;
  contentFormat?: number;
  /** Location-Path segments of a created resource. */
  locationPath?: readonly string[];
  locationQuery?: string[];
  /** The option Max-Age (RFC 7252, section 5.10.5). */
  maxAgeSeconds?: number;
  /** Observe number, 24 bits. Its presence in a response to Observe 0 means that the observation was accepted. */
  observe?: number;
  /** 1 to 8 bytes. */
  etag?: Buffer;
  /** Called once, immediately after the answer was passed to the socket for the first time. Only for answers that we send. */
  onSent?: () => void;
}

/** A response of a peer, complete: a block-wise body is reassembled. */
export interface ReceivedResponse extends CoapResponse {
  payload: Buffer;
  source?: never;
  /** Set in the response to a request for one block; undefined when the peer answered with the whole body. */
  block?: BodyBlock;
}
