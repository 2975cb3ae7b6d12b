import { type Timer } from '@lanyard/coap';
import { type ResourceValue } from '@lanyard/lwm2m';
import { type NotificationRule } from './notification-rule.js';

/** What the server asked to be notified of. */
export interface ObserveRequest {
  /** One, or those of a composite observation. */
  paths: readonly string[];
  token: Buffer;
  /** Content-Format; undefined: the device chooses. */
  accept: number | undefined;
  isComposite: boolean;
}

export interface Watch extends ObserveRequest {
  readonly device: { report(watch: Watch): Promise<void> };
  /** Values at its paths change by themselves. */
  readonly measured: boolean;
  /** Observe number of the last notification. */
  number: number;
  /** A notification is in flight. */
  busy: boolean;
  /** The values changed while one was in flight. */
  outdated: boolean;
  /** Index among the watches that report in turn; -1 outside. */
  place: number;
  /** With write attributes only. */
  rule?: NotificationRule;
  timer?: Timer;
  /** What was measured while the device slept, oldest first. */
  history?: ResourceValue[][];
}

/** What distinguishes the observations of a device. */
export const watchKey = ({ paths, isComposite }: Pick<ObserveRequest, 'paths' | 'isComposite'>): string =>
  isComposite ? `together ${[...paths].sort().join(' ')}` : (paths[0] ?? '');
