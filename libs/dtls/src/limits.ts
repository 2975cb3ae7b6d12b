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
