import type { PackageSource } from '../config.js';

/** Objects of LwM2M whose packages a campaign can install: firmware update, software management. */
export const packageObjects = [5, 9] as const;
export type PackageObject = (typeof packageObjects)[number];

export const steps = [
  'read-version',
  'read-object',
  'create',
  'reset',
  'offer',
  'download',
  'execute',
  'install',
  'activate',
  'verify',
] as const;
export type Step = (typeof steps)[number];

/** `updating` has steps; the last four are final. */
export const deviceStates = ['waiting', 'updating', 'succeeded', 'skipped', 'failed', 'stopped'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** Codes of spec §6.2 with which an update ends. */
export type EndCode = 'SYS_100' | 'SYS_101' | 'SYS_103' | 'SYS_104' | 'SYS_109' | 'SYS_110' | 'SYS_111' | 'SYS_112';

/** The state of the update of one device. Times are in milliseconds since the epoch. */
export interface DeviceUpdate {
  state: DeviceState;
  step: Step | null;
  /** Number of attempts that count, with the current one; 0 before the first. */
  attempt: number;
  /** When downloading or installing must have ended. */
  deadlineMs: number | null;
  /** When the pending command counts as unanswered, or the next poll is due. While `waiting`: the earliest start. */
  dueMs: number | null;
  /** Number of polls in this step, which determines the next pause; in two steps of software.ts, of Creates. */
  polls: number;
  /** The result of a command will arrive. */
  isCommandPending: boolean;
  /** How the package was offered last; null: it was not offered yet. */
  delivery: 'pull' | 'push' | null;
  /** Where an attempt lets the device pull the package; null: it is pushed. */
  packageSource: string | null;
  previousVersion: string | null;
  /** For object 9: the instance that is used, or to be created. */
  instance: number | null;
  code: EndCode | null;
  /** Why the update or its last attempt failed. In the step `download`: the refusal of the package, or no answer. */
  reason: string | null;
}

/** What a campaign installs, and how. */
export interface Goal {
  object: PackageObject;
  /** For object 9: the package that an instance names (`/9/n/0`). */
  packageName: string | null;
  version: string;
  /** Attempts after the first. */
  retries: number;
  delivery: 'auto' | 'pull' | 'push';
  downloadTimeoutMs: number;
  installTimeoutMs: number;
}

export interface AdvanceContext {
  nowMs: number;
  pollMinMs: number;
  packageSources: readonly PackageSource[];
  /** URI scheme by which the device is connected, if it is known. */
  transport: string | null;
}

/** What the device reported in one answer; fields that it did not report are absent. */
export interface Report {
  version?: string;
  /** Resources 3, 5, 8 and 9 of object 5. */
  state?: number;
  result?: number;
  protocols?: readonly number[];
  deliveryMethod?: number;
  /** Instances of object 9; empty: the device has none. */
  software?: readonly SoftwareInstance[];
}

/** Resources 0, 1, 7, 9 and 12 of an instance of object 9; absent: not in this answer. */
export interface SoftwareInstance {
  instance: number;
  name?: string;
  version?: string;
  state?: number;
  result?: number;
  isActive?: boolean;
}

export type UpdateEvent =
  | { kind: 'started' }
  | { kind: 'answered'; report: Report }
  | { kind: 'refused'; error: string }
  | { kind: 'unanswered' }
  | { kind: 'due' }
  | { kind: 'registered' }
  | { kind: 'ended'; state: 'failed' | 'stopped'; code: EndCode; reason: string };

const failed = (reason: string): UpdateEvent => ({ kind: 'ended', state: 'failed', code: 'SYS_111', reason });

/** Ends of updates whose device can no longer be updated, by what has happened to the device. */
export const deviceEnds = { suspended: failed('the device is suspended'), deleted: failed('the device was deleted') };

export type WantedCommand = { expiryMs: number } & (
  | { kind: 'read'; path: string }
  /** Without an instance the device chooses its number. */
  | { kind: 'create'; path: string; instance: number | null }
  | { kind: 'write-uri'; path: string; baseUrl: string }
  | { kind: 'push'; path: string }
  | { kind: 'reset'; path: string; delivery: 'pull' | 'push' }
  | { kind: 'execute'; path: string; argument?: string }
);

export interface Advance {
  update: DeviceUpdate;
  command?: WantedCommand;
  /** Cancel the pending command. */
  isCancelled?: true;
}

export const isFinal = ({ state }: Pick<DeviceUpdate, 'state'>): boolean => state !== 'waiting' && state !== 'updating';

const packageSteps: ReadonlySet<Step> = new Set(['offer', 'download', 'execute', 'install', 'activate', 'verify']);

/** Whether the device may have the package, or may be getting it: an attempt has offered it, or the device is at such a step. */
export const mayHavePackage = ({ step, delivery }: Pick<DeviceUpdate, 'step' | 'delivery'>): boolean =>
  delivery !== null || (step !== null && packageSteps.has(step));

/** Steps in which a ticket is valid. */
export const downloadingSteps: readonly Step[] = ['offer', 'download'];
