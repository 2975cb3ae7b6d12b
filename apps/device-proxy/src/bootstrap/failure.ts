import type { BootstrapFailure } from '@lanyard/contracts';
import { ConnectionEnded, NoAnswer, NotSendable, NotSent, Refused, UnusableAnswer } from '../transport/device-link.js';
import { RefusedByDevice } from './bootstrap-exchange.js';
import { Aborted } from './running-bootstraps.js';

const kinds: readonly (readonly [new (...parameters: never[]) => Error, BootstrapFailure])[] = [
  [RefusedByDevice, 'refused'],
  [Refused, 'refused'],
  // Before NoAnswer, because it is a subclass of that.
  [UnusableAnswer, 'unusable-answer'],
  [NotSendable, 'unusable-answer'],
  [NoAnswer, 'no-answer'],
  [ConnectionEnded, 'connection-lost'],
  [NotSent, 'connection-lost'],
];

/** What went wrong, for the event log. If this service aborted the bootstrap, the reason of the abort explains the error. */
export const failureOf = (error: unknown, signal: AbortSignal): { failure: BootstrapFailure; detail: string } => {
  const cause: unknown = signal.aborted ? signal.reason : error;
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Aborted) return { failure: cause.failure, detail };
  return { failure: kinds.find(([kind]) => cause instanceof kind)?.[1] ?? 'stopped', detail };
};
