/** The server does not observe the path, or does so no longer. */
export class NotObserved extends Error {}

export interface DeviceObserver {
  token: Buffer;
  /** Number of the last report. */
  number: number;
  /** Content-Format that the server asked for; undefined: the device's choice. */
  accept?: number | undefined;
}

/** The key of a composite observation of these paths. */
export const compositeKey = (paths: readonly string[]): string => [...paths].sort().join(' ');

/** The key of a path that is observed with attributes in the request (LwM2M 1.2 core §6.4.1). */
export const observedKey = (path: string, attributes: readonly string[]): string =>
  attributes.length === 0 ? path : `${path}?${attributes.join('&')}`;

/** The paths of a key. */
export const pathsIn = (key: string): string[] => key.replace(/\?.*/, '').split(' ');

/** Observers by `observedKey`, or for composite observations by `compositeKey`. */
export type DeviceObservers = Map<string, DeviceObserver>;
