/** Spec §8: kept for 6 months after the device's last connection. */
export const snapshotLifeMonths = 6;

/** How often the snapshots past their life are looked for. */
export const purgePeriodMs = 6 * 3_600_000;

/** Devices removed per statement, so that a purge never holds locks for long. */
export const purgeBatch = 500;

/** How far the time of the last connection may be behind, so that not every value writes it. */
export const connectedSlackMs = 3_600_000;
