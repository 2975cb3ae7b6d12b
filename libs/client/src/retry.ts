import { NoAnswer, RequestFailed } from './errors.js';
import { sleep } from './sleep.js';

const firstWaitMs = 250;
const longestWaitMs = 30_000;

/** 0.25, 0.5, 1 … 30 s, each reduced by a random part up to a half, so that many clients do not reconnect together. */
export const backOffMs = (failures: number, longestMs = longestWaitMs): number =>
  Math.min(longestMs, firstWaitMs * 2 ** failures) * (1 - Math.random() / 2);

/** As long as the service asks for, but at least the back-off, which grows with every failure. */
export const retryDelayMs = (error: unknown, failures: number): number => {
  const asked = error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, backOffMs(failures));
};

/**
 * 408: the network or this process was slow while the request was sent. 409 and 410: the channel is being deleted, or another
 * poll of the key is not over yet.
 */
const temporaryStatuses = new Set([408, 409, 410, 429]);

/** Whether an error of a channel, of a tail, or of a question that is asked again and again is temporary. */
export const isTemporary = (error: unknown): error is NoAnswer | RequestFailed =>
  error instanceof NoAnswer ||
  (error instanceof RequestFailed && (error.status >= 500 || temporaryStatuses.has(error.status)));

/**
 * A 429 for which the service gives no time: a queue takes longer to empty than a retry waits, and subscriptions stay until they
 * are deleted. A 429 of a proxy has another code.
 */
const fullCodes = new Set(['QUEUE_IS_FULL', 'rate_limit_exceeded', 'LIMITS_EXCEEDED', 'limit_exceeded']);

const isFull = ({ code, retryAfterSeconds }: RequestFailed): boolean =>
  retryAfterSeconds === undefined && fullCodes.has(code);

/** Whether a request may be sent again after this error. `repeatable`: sending it twice has the same effect as once. */
const mayRepeat = (error: unknown, repeatable: boolean): boolean => {
  if (error instanceof NoAnswer) return repeatable;
  if (!(error instanceof RequestFailed)) return false;
  const { status, code, retryAfterSeconds } = error;
  // Refused keys are slowed down by up to 15 minutes: the caller decides whether to wait.
  if ((retryAfterSeconds ?? 0) * 1_000 > longestWaitMs) return false;
  // The service refused the request before it did anything.
  if (status === 429) return !isFull(error);
  // A query that the database gave up would take as long again.
  return repeatable && [408, 502, 503, 504].includes(status) && code !== 'query_timeout';
};

interface Retries {
  /** The largest number of retries. */
  retries: number;
  repeatable: boolean;
  signal?: AbortSignal;
  /** No retry begins later, by the clock of `Date.now`. */
  endMs?: number;
}

/** Runs `attempt` again after temporary errors, and waits as long as the service asks for in between. */
export const retrying = async <T>(
  attempt: () => Promise<T>,
  { retries, repeatable, signal, endMs = Infinity }: Retries,
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await attempt();
    } catch (error) {
      if (failures >= retries || signal?.aborted || !mayRepeat(error, repeatable)) throw error;
      const pauseMs = retryDelayMs(error, failures);
      if (Date.now() + pauseMs >= endMs) throw error;
      await sleep(pauseMs, signal);
    }
};
