import { NoAnswer, RequestFailed } from './errors.js';
import { sleep } from './sleep.js';

const firstWaitMs = 250;
const longestWaitMs = 30_000;

/** 0.25, 0.5, 1 … 30 s, each reduced by a random part up to a half, so that many clients do not reconnect together. */
export const backOffMs = (failures: number, longestMs = longestWaitMs): number =>
  Math.min(longestMs, firstWaitMs * 2 ** failures) * (1 - Math.random() / 2);

/** As long as the service asks, or else longer after every failure. */
export const waitMs = (error: unknown, failures: number): number => {
  const asked = error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, backOffMs(failures));
};

/** 409 and 410: the channel is being deleted, or another poll of the key is not over yet. */
const passingStatus = new Set([409, 410, 429]);

/** Whether what a channel was answered passes by itself, sooner or later. */
export const passes = (error: unknown): error is NoAnswer | RequestFailed =>
  error instanceof NoAnswer ||
  (error instanceof RequestFailed && (error.status >= 500 || passingStatus.has(error.status)));

/** Whether a request may be sent again after this. `repeatable`: carried out twice, it does the same as once. */
const mayRepeat = (error: unknown, repeatable: boolean): boolean => {
  if (error instanceof NoAnswer) return repeatable;
  if (!(error instanceof RequestFailed)) return false;
  // Refused before anything was done, unless a queue is full: that takes longer than a retry waits.
  if (error.status === 429) return error.code !== 'QUEUE_IS_FULL';
  // What the database gave up would take as long again.
  return repeatable && [502, 503, 504].includes(error.status) && error.code !== 'query_timeout';
};

/** Runs `attempt` again after what passes by itself: `retries` times at most, waiting as long as the service asks. */
export const retrying = async <T>(
  attempt: () => Promise<T>,
  { retries, repeatable, signal }: { retries: number; repeatable: boolean; signal?: AbortSignal },
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await attempt();
    } catch (error) {
      if (failures >= retries || signal?.aborted || !mayRepeat(error, repeatable)) throw error;
      await sleep(waitMs(error, failures), signal);
    }
};
