/** Doubled after each failure of Redis, Kafka or PostgreSQL, as the device is asked again as well. */
const firstMs = 5_000;
const longestMs = 300_000;

/**
 * The pause after so many failures. Half of it is random, because a failure strikes many devices in the same moment.
 * `random`: from 0 up to 1.
 */
export const retryPauseMs = (failures: number, random: () => number): number => {
  const wholeMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return wholeMs / 2 + (wholeMs / 2) * random();
};
