import { EXCHANGE_LIFETIME_MS, MAX_TRANSMIT_WAIT_MS } from './timing/transmission-parameters.js';

/** Limits for everything that peers can grow. All have defaults (`DEFAULT_LIMITS`). */
export interface CoapLimits {
  /** Requests and notifications that wait behind the one outstanding to a peer. Beyond the limit: `QueueFull`. */
  queuedPerPeerMax: number;
  /** Notifications whose handler has not finished. Beyond the limit, they are not acknowledged, and the device tries again. */
  notificationsInFlightMax: number;
  notificationsInFlightPerPeerMax: number;
  /**
   * Number of retries when the handler fails for a notification that the peer does not send again, because it is not
   * confirmable or arrived over TCP or TLS; and the delay before the first retry, which then doubles.
   */
  notificationRetriesMax: number;
  notificationRetryMs: number;
  /** Requests whose handler has not finished. Beyond the limit, they are dropped, and the peer sends a confirmable one again. */
  requestsInFlightMax: number;
  requestsInFlightPerPeerMax: number;
  /** Largest request or response body that is reassembled from blocks. Beyond the limit: 4.13, or `BlockTransferFailed`. */
  bodyBytesMax: number;
  /** Size of sent blocks: a power of two, 16 to 1024. */
  blockBytes: number;
  /** Block-wise uploads in progress. Beyond this limit, or the limit of bytes, a new upload gets 5.03 and is sent again. */
  uploadsMax: number;
  uploadsBytesMax: number;
  /** The same limits per source address, which many devices may share. The option `sourceOf` says which addresses count together. */
  uploadsPerAddressMax: number;
  /** One body of `bodyBytesMax` is always permitted. */
  uploadsBytesPerAddressMax: number;
  /** An upload or a stored large answer is forgotten after this time without a block. */
  blockIdleMs: number;
  /**
   * Large answers kept while the peer fetches their blocks. Beyond a limit, the source with most of them loses its oldest one. The
   * option `sourceOf` says which addresses count together.
   */
  storedAnswersMax: number;
  storedAnswersBytesMax: number;
  /**
   * Answers remembered for each peer with state, to answer duplicates. If the network delays a retransmission by this many exchanges,
   * the request is executed again.
   */
  answersPerPeerMax: number;
  /** Answers remembered for peers that are not kept (see `keepPeer`), to answer duplicates. */
  unknownPeerAnswersMax: number;
  unknownPeerAnswersMs: number;
  /**
   * Datagrams per second and source address from peers without state, and their burst. Peers may share an address; the option
   * `sourceOf` says which addresses count together.
   */
  unknownPeerRatePerSecond: number;
  unknownPeerBurst: number;
  /** Sources whose rate is tracked. */
  unknownPeerSourcesMax: number;
  /** Peers with state that are not kept: the idle ones are dropped to make room. */
  unkeptPeersMax: number;
  /** How long `close` waits for what is in flight. */
  closeTimeoutMs: number;
}

const MEBIBYTE = 1_048_576;

/** Longest body that is sent from a source. */
export const SOURCE_BYTES_MAX = 64 * MEBIBYTE;

/** How many bytes of a source one message has, if the peer accepts several blocks at once (RFC 8323 §6): a multiple of 1024. */
export const SOURCE_MESSAGE_BYTES_MAX = 65_536;

export const DEFAULT_LIMITS: CoapLimits = {
  queuedPerPeerMax: 1_000,
  notificationsInFlightMax: 10_000,
  notificationsInFlightPerPeerMax: 64,
  notificationRetriesMax: 5,
  notificationRetryMs: 1_000,
  requestsInFlightMax: 10_000,
  requestsInFlightPerPeerMax: 64,
  bodyBytesMax: MEBIBYTE,
  blockBytes: 1_024,
  uploadsMax: 1_000,
  uploadsPerAddressMax: 100,
  uploadsBytesMax: 64 * MEBIBYTE,
  uploadsBytesPerAddressMax: 16 * MEBIBYTE,
  blockIdleMs: MAX_TRANSMIT_WAIT_MS,
  storedAnswersMax: 1_000,
  storedAnswersBytesMax: 64 * MEBIBYTE,
  answersPerPeerMax: 64,
  unknownPeerAnswersMax: 10_000,
  unknownPeerAnswersMs: EXCHANGE_LIFETIME_MS,
  unknownPeerRatePerSecond: 2_000,
  unknownPeerBurst: 4_000,
  unknownPeerSourcesMax: 10_000,
  unkeptPeersMax: 10_000,
  closeTimeoutMs: 5_000,
};
