import { type SoftwareManagement } from '../firmware/software-management.js';
import { type FirmwareView } from '../firmware/states.js';
import { type ResourceType, type Scalar } from '@lanyard/lwm2m';

/** The device that the resources belong to. */
export interface Thing {
  readonly number: number;
  readonly name: string;
  /** Lifetime of its registration. */
  readonly lifetimeSeconds: number;
  readonly firmware: FirmwareView;
  /** Software of an instance of object 9. undefined if it was never given any. */
  software?(instance: number): Pick<SoftwareManagement, 'state' | 'result' | 'version' | 'isActive'> | undefined;
  /** A number from 0 up to 1. */
  random(): number;
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

/** A resource, or an instance of one that has several. */
export interface Resource {
  path: string;
  type: ResourceType;
  /** Its value before anything is written. */
  read?: (device: Thing) => Scalar;
  /** The value changes by itself. */
  measured?: boolean;
  writable?: boolean;
  executable?: boolean;
}

export const instanceOf = (path: string): string => path.split('/', 3).join('/');

/** The path of the resource without the id of a resource instance. */
export const resourceOf = (path: string): string => path.split('/', 4).join('/');
