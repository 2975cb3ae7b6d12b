/** Spec §8, callback retry: seconds before each attempt; the last one repeats. */
const waitsSeconds = [1, 2, 4, 8, 16, 32, 64, 120] as const;

/** How long to wait after this many failures in a row (from 1). The wait begins at the answer or the time-out. */
export const retryWaitMs = (failures: number): number =>
  1_000 * (waitsSeconds[Math.min(failures, waitsSeconds.length) - 1] ?? 1);

/** No wait is longer. */
export const retryWaitMaxMs = retryWaitMs(Infinity);
