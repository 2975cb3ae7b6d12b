import { RequestFailed } from '@lanyard/client';

const backOffMinMs = 500;
const backOffMaxMs = 15_000;

/** The pause after `failures` earlier failures in a row: half a second after none, then one, two … up to 15 s. */
export const backOffMs = (failures: number): number => Math.min(backOffMaxMs, backOffMinMs * 2 ** failures);

/** The pause after a temporary failure: as long as the service asks for, but at least the back-off for `failures`. */
export const pauseMs = (error: Error, failures: number): number =>
  Math.max(backOffMs(failures), error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) * 1_000 : 0);
