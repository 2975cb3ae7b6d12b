/** MAX_TRANSMIT_WAIT (RFC 7252 §4.8.2): the longest wait for an answer to a confirmable message. */
const maxTransmitWaitMs = 93_000;

/** How long after its lifetime a session still counts: a registration update may be in flight. */
export const expiryGraceMs = maxTransmitWaitMs;
export const expiryGraceMaxMs = 86_400_000;

/** How long a queue-mode device listens after its last message (LwM2M 1.1 core §6.5). */
export const awakeWindowMs = maxTransmitWaitMs;
export const awakeMaxMs = 86_400_000;

/** How long the push of a package to one device may take. */
export const pushMaxMs = 1_800_000;

/** Connections of devices that one replica accepts by default. */
export const connectionsMaxDefault = { dtls: 100_000, tls: 20_000 } as const;

/**
 * Answers remembered for each device over UDP, to answer its retransmissions; they take memory for every device. If an
 * answer is no longer remembered, the request is executed again, which does no harm.
 */
export const answersPerPeerMax = 8;
