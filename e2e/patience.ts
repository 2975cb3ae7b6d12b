import { eventually as repeated, type Patience } from '@lanyard/testing';

/** For a whole system on a machine ten times slower than a developer's. */
export const patienceMs = 90_000;

/** As in @lanyard/testing, with more patience. */
export const eventually = <T>(attempt: () => T | Promise<T>, patience: Patience = {}): Promise<T> =>
  repeated(attempt, { timeoutMs: patienceMs, intervalMs: 50, ...patience });
