import { type BodyBlock } from './body-block.js';
import { type BodySource } from './body-source.js';
import { type Peer } from './peer.js';

/** A request that a peer sent, complete: a block-wise body is reassembled before handlers see it. */
export interface CoapRequest {
  /** One of the method codes of `Code`, or an unassigned one up to 0.31. */
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
  /** Set for a request whose blocks the handler takes one by one (`takesBlocks`): `payload` is this block. */
  block?: BodyBlock;
}

/** A request to send. Payloads larger than one block are sent block-wise, and large responses are fetched block-wise. */
export interface OutgoingRequest {
  /** One of the method codes of `Code`. */
  method: number;
  path: string[];
  query?: string[];
  payload?: Buffer;
  /**
   * Used instead of a payload: up to 64 MiB (`SOURCE_BYTES_MAX`) that are sent block by block. When the source rejects, the request
   * rejects with the same error. A peer that has lost its blocks (4.08) gets all of them again, once.
   */
  source?: BodySource;
  /** Called with the number of bytes of a block-wise body that the peer has accepted; the number decreases when the body restarts. */
  onProgress?: (bytes: number) => void;
  contentFormat?: number;
  accept?: number;
  etag?: Buffer;
  /**
   * Fetches only this block of the body: `bytes` is a power of two from 16 to 1024, and `offset` a multiple of it. The peer may
   * send smaller blocks; see `block` of the response.
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
  /** After the signal aborts, nothing more is sent for the request: no retransmission, no further block. */
  signal?: AbortSignal;
  /**
   * Called when the request has its turn, before anything is sent for it; nothing is sent until it resolves. When it
   * rejects, the request rejects with the same error.
   */
  beforeSending?: () => Promise<void>;
  /** Called for each message that is sent for the request; a block-wise body has several. Over TCP there are no message ids. */
  onSent?: (message: { token: Buffer; messageId?: number }) => void;
}
