import { type Scalar } from '@lanyard/lwm2m';
import { type ObjectStore } from '../objects/object-store.js';
import { type ObservationId, type ObserveRequest } from '../observation/watch.js';

/** The device that a request of a server is addressed to. */
export interface RequestTarget {
  readonly store: ObjectStore;
  watch(request: ObserveRequest): void;
  unwatch(request: ObservationId): void;
  /** Executes a resource, which must be executable. @returns The response code. */
  execute(path: string, args: string): number;
  /** The response code for a value whose type the resource accepts; undefined if the value is to be stored. */
  accept(path: string, value: Scalar): number | undefined;
  changed(paths: readonly string[]): void;
  /** Called when attributes of the path were written. */
  attributesChanged(path: string): void;
  instancesChanged(): void;
}
