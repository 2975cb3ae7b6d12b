/** Six months, as long as a snapshot (spec §8 names no time for the log itself). */
export const retentionDaysDefault = 183;

/** Partitions made ahead, so that no write waits for one and a system whose clock is fast finds one. */
export const weeksAhead = 4;

/** How often partitions are made and dropped. */
export const partitionCheckMs = 3_600_000;

/** A drop waits no longer than this for readers of the partition: it is tried again with the next check. */
export const lockTimeoutMs = 5_000;

/** Rows outside every partition that one statement removes when they are past their life. */
export const strayBatch = 5_000;
