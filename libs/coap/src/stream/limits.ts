import { type AnsweringLimits } from '../exchange/answer-line.js';
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
 * Bounds of everything that peers over TCP or TLS can grow. Beyond the number of handlers nothing is dropped as
 * over UDP: the connection is not read any further until one has finished.
 */
export interface StreamLimits extends Pick<CoapLimits, Shared> {
  connectionsMax: number;
  /** Many devices may share one address. */
  connectionsPerAddressMax: number;
  /** New connections per second and source address, and their burst: each costs a handshake. */
  connectRatePerSecond: number;
  connectBurst: number;
  connectSourcesMax: number;
  /** From the TCP connection to the first CSM, the TLS handshake included. */
  handshakeTimeoutMs: number;
  /** From the first byte of a message to its last, and how long a peer may leave unread what we sent. */
  messageTimeoutMs: number;
  /** A connection that is not kept (see `keepPeer`) ends after this time without a message. */
  unkeptIdleMs: number;
  /** A kept one is pinged after this time. */
  idleMs: number;
  pongTimeoutMs: number;
  /** Bytes that wait for a peer that reads slowly; beyond it the connection is aborted. */
  sendBufferBytesMax: number;
  /** Bytes of incomplete messages of all connections together; a connection that exceeds it is aborted. */
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
  incompleteBytesMax: 64 * MEBIBYTE,
};

/** Room for frame, options and payload marker of a body that is sent whole. */
export const MESSAGE_OVERHEAD_BYTES = 4_096;
