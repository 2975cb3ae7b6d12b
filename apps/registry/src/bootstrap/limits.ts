/**
 * A bootstrap that has not ended fails after this time plus the initial registration delay of its profile, and its credential
 * is withdrawn: the device-proxy that ran it is gone, or the device got a pack and did not register. A conversation takes 5
 * minutes at most.
 */
export const bootstrapExpiryMs = 900_000;

/** How often to look for such bootstraps, and how long until one that still waits in the topic is failed once more. */
export const expiryPeriodMs = 5_000;
export const expiryAgainMs = 60_000;

/** How long ended bootstraps are remembered: longer than facts are in Kafka, so that a fact that is read again is recognised. */
export const endedKeptDays = 7;

export const stepRows = 500;
