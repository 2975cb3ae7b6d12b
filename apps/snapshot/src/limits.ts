/** Spec §8: kept for 6 months after the device's last connection. */
export const snapshotLifeMonths = 6;

/** How often expired snapshots are removed. */
export const purgePeriodMs = 6 * 3_600_000;

/** Devices removed per statement, so that a purge never holds locks for long. */
export const purgeBatch = 500;

/** How much the stored time of the last connection may lag, so that not every value writes it. */
export const connectedSlackMs = 3_600_000;
