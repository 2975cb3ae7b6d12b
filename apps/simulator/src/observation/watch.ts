import { type Timer } from '@lanyard/coap';
import { type ResourceValue } from '@lanyard/lwm2m';
import { type Attributes, formatAttributes } from '../objects/attributes.js';
import { type NotificationRule } from './notification-rule.js';

/** A request of the server to be notified. */
export interface ObserveRequest {
  /** One path, or the paths of a composite observation. */
  paths: readonly string[];
  token: Buffer;
  /** Content-Format; undefined: the device chooses. */
  accept: number | undefined;
  isComposite: boolean;
  /** Attributes in the request: they hold for this observation only, and override written ones (LwM2M 1.2 core §6.4.1). */
  attributes?: Attributes;
}

/** The properties that tell the observations of a device apart. */
export type ObservationId = Pick<ObserveRequest, 'paths' | 'isComposite' | 'attributes'>;

/** An observation, and the state of its notifications. */
export interface Watch extends ObserveRequest {
  readonly device: { report(watch: Watch): Promise<void> };
  /** Values at its paths change by themselves. */
  readonly measured: boolean;
  /** Observe number of the last notification. */
  number: number;
  /** A notification is in flight. */
  busy: boolean;
  /** The values changed while a notification was in flight. */
  outdated: boolean;
  /** Index among the watches that report in turn; -1 if this one is not among them. */
  turnIndex: number;
  /** Present only with attributes. */
  rule?: NotificationRule;
  /** Notifies when a minimum or maximum period is over. */
  timer?: Timer;
  /** When the timer is due. */
  dueMs?: number;
  /** A value waits for the timer, because the minimum period is not over. */
  hasValue?: boolean;
  /** The values that were measured while the device slept, oldest first. */
  history?: ResourceValue[][];
}

const inOrder = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).sort()) as Attributes;

export const watchKey = ({ paths, isComposite, attributes = {} }: ObservationId): string =>
  isComposite ? `together ${[...paths].sort().join(' ')}` : (paths[0] ?? '') + formatAttributes(inOrder(attributes));
