export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

/** Six months, as long as a snapshot: the specification names no time for the log. */
export const retentionDaysDefault = 183;

/** Partitions created ahead, so that no write waits for one, even from a system whose clock is fast. */
export const weeksAhead = 4;

export const partitionCheckMs = 3_600_000;

/** How many expired rows outside every partition one statement removes. */
export const defaultPartitionBatch = 5_000;
