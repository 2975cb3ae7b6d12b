import { NoAnswer, RequestFailed } from '@lanyard/client';

const backOffMinMs = 500;
const backOffMaxMs = 15_000;

/** The pause after `failures` earlier failures in a row: half a second after none, then one, two … up to `maxMs`. */
export const backOffMs = (failures: number, maxMs = backOffMaxMs): number =>
  Math.min(maxMs, backOffMinMs * 2 ** failures);

/**
 * Whether another attempt makes sense. 408: the network or this process was slow while the request was sent. 409 and 410,
 * as answers to a poll: another poll is ending, or the channel is being deleted.
 */
export const isTemporary = (error: unknown): error is Error =>
  error instanceof NoAnswer ||
  (error instanceof RequestFailed && (error.status >= 500 || [408, 409, 410, 429].includes(error.status)));

/** The pause after a temporary failure: as long as the service asks for, but at least the back-off for `failures`. */
export const pauseMs = (error: Error, failures: number): number =>
  Math.max(backOffMs(failures), error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) * 1_000 : 0);
