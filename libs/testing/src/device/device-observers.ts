/** The server does not observe the path (any more). */
export class NotObserved extends Error {}

export interface DeviceObserver {
  token: Buffer;
  /** Of the last report. */
  number: number;
  /** Content-Format that the server asked for; undefined: the device's choice. */
  accept?: number | undefined;
}

/** Under what paths that are observed together are remembered. */
export const togetherKey = (paths: readonly string[]): string => [...paths].sort().join(' ');

/** Observers by path, or by the key of several paths together. */
export type DeviceObservers = Map<string, DeviceObserver>;
