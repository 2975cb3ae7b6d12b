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

/**
 * 408: the network or this process was slow while the request was sent. 409 and 410: the channel is being deleted, or another
 * poll of the key is not over yet.
 */
const passingStatus = new Set([408, 409, 410, 429]);

/** Whether what a channel was answered passes by itself, sooner or later. */
export const passes = (error: unknown): error is NoAnswer | RequestFailed =>
  error instanceof NoAnswer ||
  (error instanceof RequestFailed && (error.status >= 500 || passingStatus.has(error.status)));

/** The only 429 for which the service gives no time: it takes longer than a retry waits. The error of a proxy has another code. */
const isQueueFull = ({ code, retryAfterSeconds }: RequestFailed): boolean =>
  retryAfterSeconds === undefined && ['QUEUE_IS_FULL', 'rate_limit_exceeded'].includes(code);

/** Whether a request may be sent again after this. `repeatable`: carried out twice, it does the same as once. */
const mayRepeat = (error: unknown, repeatable: boolean): boolean => {
  if (error instanceof NoAnswer) return repeatable;
  if (!(error instanceof RequestFailed)) return false;
  const { status, code, retryAfterSeconds } = error;
  // Refused keys are slowed down by up to 15 minutes: the caller decides whether to wait.
  if ((retryAfterSeconds ?? 0) * 1_000 > longestWaitMs) return false;
  // Refused before anything was done.
  if (status === 429) return !isQueueFull(error);
  // What the database gave up would take as long again.
  return repeatable && [408, 502, 503, 504].includes(status) && code !== 'query_timeout';
};

interface Retries {
  /** At most. */
  retries: number;
  repeatable: boolean;
  signal?: AbortSignal;
  /** None begins later. By the clock of `Date.now`. */
  endMs?: number;
}

/** Runs `attempt` again after what passes by itself, waiting as long as the service asks. */
export const retrying = async <T>(
  attempt: () => Promise<T>,
  { retries, repeatable, signal, endMs = Infinity }: Retries,
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await attempt();
    } catch (error) {
      if (failures >= retries || signal?.aborted || !mayRepeat(error, repeatable)) throw error;
      const pauseMs = waitMs(error, failures);
      if (Date.now() + pauseMs >= endMs) throw error;
      await sleep(pauseMs, signal);
    }
};
