/** In ms: the first pause, which is doubled each time up to the longest one. */
interface Pauses {
  firstMs: number;
  longestMs: number;
}

/** After failures of Redis, Kafka or PostgreSQL; when a device that did not answer sends a message; when a device is not ready. */
export const afterFailures: Pauses = { firstMs: 5_000, longestMs: 300_000 };

/** After requests without an answer, while the device sends nothing: each request is sent five times (RFC 7252 §4.2). */
export const afterSilence: Pauses = { firstMs: 60_000, longestMs: 3_600_000 };

/**
 * The pause after this number of attempts. Half of it is random, because a failure affects many devices at the same moment.
 * `random`: from 0 up to 1.
 */
export const retryPauseMs = ({ firstMs, longestMs }: Pauses, attempts: number, random: () => number): number => {
  const wholeMs = Math.min(firstMs * 2 ** (attempts - 1), longestMs);
  return wholeMs / 2 + (wholeMs / 2) * random();
};
