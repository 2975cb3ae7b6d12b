/** Limits of the notified values that a session caches for reads: number, size of each, and age. */
export const notifiedPathsMax = 64;
export const notifiedBytesMax = 1_024;
export const notifiedMaxAgeMs = 3 * 86_400_000;

/** How long to wait for a cached value of another replica. */
export const cacheAnswerMs = 500;

/** How often each replica looks for expired sessions, and how many it takes at once. */
export const sweepPeriodMs = 1_000;
export const sweepBatch = 100;

/** If a replica dies before it has announced an expiry, another replica announces it after this time. */
export const sweepLeaseMs = 30_000;

/** Last-seen times are written in batches, this often. */
export const touchPeriodMs = 1_000;
/** Sessions per script, which blocks Redis while it runs. */
export const touchBatch = 500;

/** A replica whose clock jumps by this much between two ticks has stalled: its sessions may be out of date. */
export const stallMs = 5_000;
export const stallTickMs = 1_000;
