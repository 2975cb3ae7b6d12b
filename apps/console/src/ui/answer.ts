import { NoAnswer, ServiceUnavailable, TooManyRequests } from '@lanyard/client/browser';

/** The result of `useRead`. */
export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Whether an error leaves the previous answer valid. */
const keepsAnswer = (error: unknown): boolean =>
  error instanceof NoAnswer || error instanceof ServiceUnavailable || error instanceof TooManyRequests;

/** Whether the last answer is shown: it exists, and no later error says that it is no longer valid. */
export const isShown = <T>({ data, error }: Answer<T>): boolean =>
  data !== undefined && (error === null || keepsAnswer(error));

/**
 * Whether the error is shown beside the last answer. While the connection is lost, the banner of the page says so. A single
 * call may also end without an answer while the gateway can be reached: then nothing else says that the answer is old.
 */
export const isErrorShown = (error: unknown, isConnectionLost: boolean): boolean =>
  error !== null && !(isConnectionLost && error instanceof NoAnswer);
