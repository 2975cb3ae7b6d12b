/** Spec §8: kept for 6 months after the device's last connection. */
export const snapshotLifeMonths = 6;

export const purgePeriodMs = 6 * 3_600_000;

/** Devices removed per statement, so that a purge never holds locks for long. */
export const purgeBatch = 500;

/**
 * A value updates the time of the last connection only if the stored one is older by this much. A replica does not even
 * compare the values that follow a compared one within this time.
 */
export const connectedSlackMs = 3_600_000;

/** How much the stored time of the last connection may lag. */
export const connectedLagMs = 2 * connectedSlackMs;

/** Larger values are not kept in the history, which is for measurements and states, not for documents. */
export const historyValueBytesMax = 1_024;

/** Values, or steps, in one answer. */
export const historyPoints = { min: 1, max: 2_000, default: 500 } as const;

/** How often partitions of the history are created and dropped. */
export const partitionCheckMs = 600_000;

/** How far the clock of a producer may be ahead: partitions of history and statistics exist for longer. Later facts are left out. */
export const fastClockMs = 600_000;

/** How often the snapshots and the history of deleted devices are removed. */
export const historyRemovalPeriodMs = 60_000;
/** Deleted devices whose history is removed together, and the time range of the history that one statement removes. */
export const historyRemovalBatch = 50;
export const historyRemovalSliceMs = 6 * 3_600_000;

/** How long after the deletion of a device its history is removed: statements that began before it was stored may still write values. */
export const historyRemovalDelayMs = 60_000;

/** Subscriptions lost longer ago are not listed as what needs attention. */
export const lostSubscriptionsListedMs = 7 * 24 * 3_600_000;
