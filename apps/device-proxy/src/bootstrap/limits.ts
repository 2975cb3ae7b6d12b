/** A bootstrap that takes longer is aborted. A request over UDP waits for its answer up to 93 s (RFC 7252 §4.8.2). */
export const bootstrapMaxMs = 300_000;

/** Bootstraps in progress on a replica, and of one account on it. Further requests get 5.03 with Max-Age. */
export const bootstrapsMax = 1_000;
export const bootstrapsPerAccountMax = 250;

/** How long a device waits for the registry to create its credential. After that it gets 5.03 with Max-Age. */
export const credentialWithinMs = 5_000;

/** Pause before Kafka is asked again to store that a device was bootstrapped. */
export const announceAgainMs = 1_000;
