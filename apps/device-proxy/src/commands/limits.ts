/** Commands that may wait for one device, and the total size of their payloads. */
export const queueLengthMax = 1_000;
export const queueBytesMax = 16_777_216;

/**
 * How long the announcement of a new command may wait. A listening device answers sooner, and then the relay sends the
 * announcement and the result together: the result need not wait for the announcement.
 */
export const acceptedLingerMs = 25;

/** Paths that one command may observe together. */
export const observedTogetherMax = 100;

/** Further attempts after the first one. */
export const retryMax = 10;
export const defaultRetry = { awake: 0, queueMode: 2 } as const;

export const expirySeconds = { min: 1, max: 2_592_000 } as const;
export const defaultExpirySeconds = { awake: 7_200, queueMode: 259_200 } as const;

/** How often the claim of a command that is being executed is renewed, and how long it is valid without renewal. */
export const claimRenewMs = 15_000;
export const claimLeaseMs = 60_000;

/** Pause before a retry: a listening device did not answer or was not reached, or PostgreSQL, Redis or Kafka failed. */
export const retryPauseMs = 5_000;

/** Pause before a push begins again when campaigns does not answer. */
export const packagePauseMs = 30_000;

/** Minimum attempts when a connection ends before the answer, even if the sender asked for no retries. */
export const attemptsWhenConnectionsEndMin = 3;

/** How long a request may wait for its result, and the polling period in case the wake-up is lost. */
export const waitSeconds = { min: 1, max: 60 } as const;
export const waitLookMs = 2_000;
/** Callers that may wait on one replica; further ones get 202 at once. */
export const waitingCallersMax = 1_000;
/** Of these, the callers of one account, so that the requests of others can wait as well. */
export const waitingCallersOfAccountMax = 250;

/** How often each replica looks for expired commands, and for commands whose wake-up it missed. */
export const expiryPeriodMs = 1_000;
export const pollPeriodMs = 2_000;
/** How far back the poll reaches: longer than a transaction may stay open. */
export const pollWindowSeconds = 35;
/** How often the rows that the poll no longer looks at are deleted, and how old they are by then. */
export const changesSweepMs = 600_000;

export const idempotencyHours = 24;
export const idempotencyKeyLengthMax = 255;

/** How long the record of a finished command is kept. */
export const historyDays = 30;
export const historySweepMs = 3_600_000;

/** A command that has not ended by then needs attention. */
export const stuckAfterMs = 3_600_000;
