/**
 * A bootstrap that has not ended fails after this time plus the initial registration delay of its profile, and its
 * credential is withdrawn: the device-proxy that ran it is gone, or the device got a Bootstrap-Pack and did not
 * register. The exchange of messages with the device takes at most 5 minutes.
 */
export const bootstrapExpiryMs = 900_000;

/** How often such bootstraps are looked for. */
export const expiryPeriodMs = 5_000;
/** How long after its failure was announced a bootstrap is failed again, if that fact has not been read by then. */
export const expiryRetryMs = 60_000;

/** How long ended bootstraps are remembered: longer than facts are in Kafka, so that a fact that is read again is recognised. */
export const endedKeptDays = 7;

/** How many bootstraps a step fails, and how many ended ones it deletes. */
export const rowsPerStep = 500;
