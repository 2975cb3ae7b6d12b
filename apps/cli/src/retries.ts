import { NoAnswer, RequestFailed } from '@lanyard/client';

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Half a second, one, two … up to `longestMs`. */
export const waitMs = (failures: number, longestMs = longestWaitMs): number =>
  Math.min(longestMs, firstWaitMs * 2 ** failures);

/**
 * Whether another attempt makes sense. 408: the network or this process was slow while the request was sent. 409 and 410,
 * as answers to a poll: another poll is ending, or the channel is being deleted.
 */
export const isTemporary = (error: unknown): error is Error =>
  error instanceof NoAnswer ||
  (error instanceof RequestFailed && (error.status >= 500 || [408, 409, 410, 429].includes(error.status)));

/** The pause after a temporary failure: as long as the service asks for, but at least the back-off. */
export const pauseMs = (error: Error, failures: number): number =>
  Math.max(waitMs(failures), error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) * 1_000 : 0);
