/** In ms: the first is doubled each time, up to the longest. */
interface Pauses {
  firstMs: number;
  longestMs: number;
}

/** After failures of Redis, Kafka or PostgreSQL, when a device is heard that did not answer, and when it is not ready. */
export const afterFailures: Pauses = { firstMs: 5_000, longestMs: 300_000 };

/** After requests without an answer, while the device says nothing: each request is sent five times (RFC 7252 §4.2). */
export const afterSilence: Pauses = { firstMs: 60_000, longestMs: 3_600_000 };

/**
 * The pause after so many attempts. Half of it is random, because a failure strikes many devices in the same moment.
 * `random`: from 0 up to 1.
 */
export const retryPauseMs = ({ firstMs, longestMs }: Pauses, attempts: number, random: () => number): number => {
  const wholeMs = Math.min(firstMs * 2 ** (attempts - 1), longestMs);
  return wholeMs / 2 + (wholeMs / 2) * random();
};
