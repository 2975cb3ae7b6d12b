/** RFC 7252 §4.8. */
export const ACK_TIMEOUT_MS = 2_000;
export const ACK_RANDOM_FACTOR = 1.5;
export const MAX_RETRANSMIT = 4;
/** From the first transmission until a sender stops waiting for an acknowledgement (RFC 7252 §4.8.2). */
export const MAX_TRANSMIT_WAIT_MS = 93_000;
/** From the first transmission of a confirmable message until its message id may be used again (RFC 7252 §4.8.2). */
export const EXCHANGE_LIFETIME_MS = 247_000;
/** The same for a non-confirmable message, which is sent once. */
export const NON_LIFETIME_MS = 145_000;
/** How long a handler may take before its request is acknowledged without an answer; below ACK_TIMEOUT. */
export const EMPTY_ACK_DELAY_MS = 1_500;
/** After this time, a notification is newer than the previous one, whatever its Observe number is (RFC 7641 §3.4). */
export const OBSERVE_ORDER_WINDOW_MS = 128_000;
