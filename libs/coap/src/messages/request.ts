import { type BodyBlock } from './body-block.js';
import { type BodySource } from './body-source.js';
import { type Peer } from './peer.js';

/** A request that a peer sent, complete: a block-wise body is reassembled before handlers see it. */
export interface CoapRequest {
  /** One of the method codes of `Code`, or an unassigned one below 0.32. */
  method: number;
  /** Uri-Path segments; empty for the root. */
  path: string[];
  /** Uri-Query parameters, undivided: `ep=thermo-1`. */
  query: string[];
  payload: Buffer;
  contentFormat?: number;
  accept?: number;
  /** 0 registers an observation, 1 ends it (RFC 7641 §2). */
  observe?: number;
  etags: Buffer[];
  /** Needed to send notifications for this request. */
  token: Buffer;
  peer: Peer;
  confirmable: boolean;
  /** Of a request whose blocks the endpoint takes one by one (`takesBlocks`): `payload` is this block. */
  block?: BodyBlock;
}

/** A request to send. Payloads larger than one block travel block-wise, so do large responses. */
export interface OutgoingRequest {
  /** One of the method codes of `Code`. */
  method: number;
  path: string[];
  query?: string[];
  payload?: Buffer;
  /**
   * Instead of a payload: up to 64 MiB (`SOURCE_BYTES_MAX`) that are sent block by block. When it rejects the request does too,
   * with the same error. A peer that has lost its blocks (4.08) gets them all again, once.
   */
  source?: BodySource;
  /** Called when the peer has taken so many bytes of a body in blocks; fewer than before when it starts again. */
  onProgress?: (bytes: number) => void;
  contentFormat?: number;
  accept?: number;
  etag?: Buffer;
  /**
   * Fetches just this block of the body: `bytes` is a power of two from 16 to 1024, and `offset` a multiple of it. The peer may
   * have smaller blocks; see `block` of the response.
   */
  block?: Pick<BodyBlock, 'offset' | 'bytes'>;
  /** Default true. A non-confirmable request is sent once. */
  confirmable?: boolean;
  /** How long to wait for a response after the acknowledgement (or after a non-confirmable request); default 93 s. */
  timeoutMs?: number;
  /** ACK_TIMEOUT; default that of the endpoint. */
  ackTimeoutMs?: number;
  /** MAX_RETRANSMIT; default 4. */
  maxRetransmit?: number;
  /** Nothing more is sent for it once this aborts: no retransmission, no further block. */
  signal?: AbortSignal;
  /** Called for each message that leaves for it; a body in blocks is several. Over TCP there are no message ids. */
  onSent?: (message: { token: Buffer; messageId?: number }) => void;
}
