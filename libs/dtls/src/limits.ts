/** Largest plaintext of a record (RFC 5246 §6.2.1). */
export const PLAINTEXT_BYTES_MAX = 16_384;

/** What protection may add to a plaintext (RFC 5246 §6.2.3). */
export const PROTECTION_BYTES_MAX = 2_048;

/** Smallest record size limit that a peer may ask for (RFC 8449 §4). */
export const RECORD_SIZE_LIMIT_MIN = 64;

/** The last sequence number of an epoch: 48 bits (RFC 6347 §4.1). */
export const SEQUENCE_MAX = 2 ** 48 - 1;

/** Records remembered below the newest one (RFC 6347 §4.1.2.6). */
export const REPLAY_WINDOW_RECORDS = 64;

/** Longest connection id (RFC 9146 §3). */
export const CONNECTION_ID_BYTES_MAX = 255;

/**
 * Largest handshake message that is accepted. The protocol has 24 bits for it; a chain of certificates of devices
 * takes a few kilobytes.
 */
export const HANDSHAKE_BYTES_MAX = 16_384;

/**
 * Sequence numbers that each take-over of a connection skips. A connection whose state is saved sends at most as many records
 * between two saves, so that no number is used by two processes (RFC 6347 §4.1). 48 bits have room for 2^28 take-overs.
 */
export const TAKE_OVER_SEQUENCES = 2 ** 20;

/** Limits for everything that peers can grow, and times. All have defaults (`DEFAULT_LIMITS`). */
export interface DtlsLimits {
  /** Handshakes in progress after the cookie. Beyond the limit, a new handshake gets no answer, and the client tries again. */
  handshakesMax: number;
  /** The same limit per source: an IPv4 address, or the first 64 bits of an IPv6 address. Devices may share one. */
  handshakesPerSourceMax: number;
  /** Handshakes that one source may start per second, and in one burst. Each may cost a signature. */
  handshakesPerSourcePerSecond: number;
  /** Sources whose rate is tracked. Beyond the limit, the source seen longest ago is forgotten, and starts again with a full allowance. */
  sourcesMax: number;
  /** A handshake that takes longer is abandoned; default: the time that the flights take when the peer does not answer. */
  handshakeMs?: number;
  /** First retransmission timeout, and the limit for its doubling (RFC 6347 §4.2.4.1). */
  retransmissionMs: number;
  retransmissionMaxMs: number;
  /** Largest datagram of a handshake: below the smallest MTU of IPv6 with its headers. */
  datagramBytesMax: number;
  /** Open connections, together with handshakes in progress. Beyond the limit, new handshakes get no answer. */
  connectionsMax: number;
  /** The same limit per source, which many devices behind one NAT share. */
  connectionsPerSourceMax: number;
  /** Largest plaintext that is accepted in a record, announced to clients that ask (RFC 8449). */
  recordSizeLimit: number;
  /** Sessions that can be resumed, bytes of their secrets and credentials, and how long they are kept; the oldest is evicted first. */
  sessionsMax: number;
  sessionBytesMax: number;
  sessionMs: number;
  /**
   * Number of last flights of handshakes that are kept in case they were lost, and for how long: until the peer sends
   * data, but no longer than it may repeat its own flight.
   */
  lastFlightsMax: number;
  lastFlightMs: number;
}

export const DEFAULT_LIMITS: DtlsLimits = {
  handshakesMax: 5_000,
  handshakesPerSourceMax: 1_000,
  handshakesPerSourcePerSecond: 500,
  sourcesMax: 10_000,
  retransmissionMs: 1_000,
  retransmissionMaxMs: 60_000,
  datagramBytesMax: 1_200,
  connectionsMax: 200_000,
  connectionsPerSourceMax: 200_000,
  recordSizeLimit: PLAINTEXT_BYTES_MAX,
  sessionsMax: 10_000,
  sessionBytesMax: 8 * 2 ** 20,
  sessionMs: 3_600_000,
  lastFlightsMax: 10_000,
  lastFlightMs: 120_000,
};
