import { type AnsweringLimits } from '../exchange/base-answer-sender.js';
import { type CoapLimits, DEFAULT_LIMITS } from '../limits.js';

type Shared =
  | keyof AnsweringLimits
  | 'queuedPerPeerMax'
  | 'notificationsInFlightMax'
  | 'notificationsInFlightPerPeerMax'
  | 'notificationRetriesMax'
  | 'notificationRetryMs'
  | 'requestsInFlightMax'
  | 'requestsInFlightPerPeerMax'
  | 'closeTimeoutMs';

/**
 * Limits for everything that peers over TCP or TLS can grow. Beyond a limit of running handlers, nothing is dropped,
 * unlike over UDP: the connection is not read from until a handler has finished, and a request beyond
 * `requestsInFlightMax` gets 5.03.
 */
export interface StreamLimits extends Pick<CoapLimits, Shared> {
  connectionsMax: number;
  /** Many devices may share one address. The option `sourceOf` says which addresses count together. */
  connectionsPerAddressMax: number;
  /** New connections per second and source address, and their burst: each costs a handshake. */
  connectRatePerSecond: number;
  connectBurst: number;
  /** Sources whose rate of new connections is tracked. */
  connectSourcesMax: number;
  /** From the TCP connection to the first CSM, including the TLS handshake. */
  handshakeTimeoutMs: number;
  /** From the first byte of a message to its last, and how long a peer may leave our bytes unread. */
  messageTimeoutMs: number;
  /** A connection that is not kept (see `keepPeer`) ends after this time without a message. */
  unkeptIdleMs: number;
  /** A kept connection is pinged after this time without a message. */
  idleMs: number;
  pongTimeoutMs: number;
  /**
   * Bytes that wait for a peer that reads slowly, with 256 more for each message. Beyond the limit, the connection ends.
   */
  sendBufferBytesMax: number;
  /**
   * The same for all connections together: a device that downloads a package may have 64 KiB waiting. Beyond the limit, the
   * connection ends for which most bytes wait.
   */
  waitingBytesMax: number;
  /** Bytes of incomplete messages of all connections together. Beyond the limit, the connection with most of them is aborted. */
  incompleteBytesMax: number;
}

const MEBIBYTE = 1_048_576;

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  ...DEFAULT_LIMITS,
  connectionsMax: 20_000,
  connectionsPerAddressMax: 1_000,
  connectRatePerSecond: 100,
  connectBurst: 1_000,
  connectSourcesMax: 10_000,
  handshakeTimeoutMs: 10_000,
  messageTimeoutMs: 120_000,
  unkeptIdleMs: 60_000,
  idleMs: 1_800_000,
  pongTimeoutMs: 30_000,
  sendBufferBytesMax: 4 * MEBIBYTE,
  waitingBytesMax: 128 * MEBIBYTE,
  incompleteBytesMax: 64 * MEBIBYTE,
};

/** Room for frame, options and payload marker of a body that is sent whole. */
export const MESSAGE_OVERHEAD_BYTES = 4_096;
