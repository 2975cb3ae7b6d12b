/** Of the notified values that a session keeps to answer reads from: how many, how large each, and how long at most. */
export const notifiedPathsMax = 64;
export const notifiedBytesMax = 1_024;
export const notifiedMaxAgeMs = 3 * 86_400_000;

/** How long the replica that has a session may take to say what it keeps. */
export const cacheAnswerMs = 500;

/** How often each replica looks for expired sessions, and how many it takes at once. */
export const sweepPeriodMs = 1_000;
export const sweepBatch = 100;

/** A replica that dies while it announces an expiry leaves it to another one after this time. */
export const sweepLeaseMs = 30_000;

/** Last-seen times are written in batches, this often. */
export const touchPeriodMs = 1_000;
/** So many in one script: Redis does nothing else meanwhile. */
export const touchBatch = 500;

/** A replica whose clock jumps by this much between two ticks has stalled: its sessions may be out of date. */
export const stallMs = 5_000;
export const stallTickMs = 1_000;
