/** `/5/0/3` (LwM2M 1.1 core appendix E.6). */
export const State = { idle: 0, downloading: 1, downloaded: 2, updating: 3 } as const;
export type State = (typeof State)[keyof typeof State];

/** `/5/0/5` */
export const Result = {
  initial: 0,
  success: 1,
  noSpace: 2,
  outOfMemory: 3,
  connectionLost: 4,
  integrity: 5,
  unsupportedPackage: 6,
  invalidUri: 7,
  updateFailed: 8,
  unsupportedProtocol: 9,
  cancelled: 10,
} as const;
export type Result = (typeof Result)[keyof typeof Result];

/** The firmware of a device, as its resources show it. */
export interface FirmwareView {
  /** Version that is running. */
  readonly version: string;
  readonly state: State;
  readonly result: Result;
  readonly uri: string;
  /** Version of the package that was downloaded last. */
  readonly packageVersion: string;
}
