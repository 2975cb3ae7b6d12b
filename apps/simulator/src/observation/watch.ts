import { type Timer } from '@lanyard/coap';
import { type ResourceValue } from '@lanyard/lwm2m';
import { type Attributes, formatAttributes } from '../objects/attributes.js';
import { type NotificationRule } from './notification-rule.js';

/** What the server asked to be notified of. */
export interface ObserveRequest {
  /** One, or those of a composite observation. */
  paths: readonly string[];
  token: Buffer;
  /** Content-Format; undefined: the device chooses. */
  accept: number | undefined;
  isComposite: boolean;
  /** Of the request, if it has any: for this observation only, and before those that are written (LwM2M 1.2 core §6.4.1). */
  attributes?: Attributes;
}

/** What distinguishes the observations of a device. */
export type ObservationId = Pick<ObserveRequest, 'paths' | 'isComposite' | 'attributes'>;

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
  /** With attributes only. */
  rule?: NotificationRule;
  /** Notifies when a minimum or maximum period is over. */
  timer?: Timer;
  /** When the timer is due. */
  dueMs?: number;
  /** What was measured while the device slept, oldest first. */
  history?: ResourceValue[][];
}

const inOrder = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).sort()) as Attributes;

export const watchKey = ({ paths, isComposite, attributes = {} }: ObservationId): string =>
  isComposite ? `together ${[...paths].sort().join(' ')}` : (paths[0] ?? '') + formatAttributes(inOrder(attributes));
