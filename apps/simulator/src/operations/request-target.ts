import { type Scalar } from '@lanyard/lwm2m';
import { type ObjectStore } from '../objects/object-store.js';
import { type ObservationId, type ObserveRequest } from '../observation/watch.js';

/** The device that a server asks something. */
export interface RequestTarget {
  readonly store: ObjectStore;
  watch(request: ObserveRequest): void;
  unwatch(request: ObservationId): void;
  /** The response code. The resource can be executed. */
  execute(path: string, args: string): number;
  /** The response code for a value that the resource accepts by its type; undefined: it is stored. */
  accept(path: string, value: Scalar): number | undefined;
  changed(paths: readonly string[]): void;
  /** Attributes of the path were written. */
  attributesChanged(path: string): void;
  instancesChanged(): void;
}
