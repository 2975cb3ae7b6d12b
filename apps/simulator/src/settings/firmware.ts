import { type SettingsReader } from './reader.js';

/** Ways in which the updates of a device can fail. */
export const firmwareFailures = [
  'none',
  /** The package is damaged: result 5. */
  'integrity',
  /** The device runs out of memory in the middle of the download: result 3. */
  'out-of-memory',
  /** There is no room for the package: result 2. */
  'no-space',
  /** The network is lost in the middle of the download, and does not return in time: result 4. */
  'connection-lost',
  /** The package is for other devices: result 6. */
  'unsupported-package',
  /** The installation fails: result 8. */
  'update-failed',
  /** The device loses its power in the middle of the download, and has forgotten the download when it is back. */
  'dies',
  /** The device does not come back after Update. */
  'never-answers',
] as const;

export type FirmwareFailure = (typeof firmwareFailures)[number];

export interface FirmwareSettings {
  /** Version before an update. */
  version: string;
  failure: FirmwareFailure;
  failurePercent: number;
  /** Rate of a download; 0: unlimited. */
  bytesPerSecond: number;
  /** How long an installation and the restart after it take. */
  installSeconds: number;
  rebootSeconds: number;
}

export const readFirmware = (reader: SettingsReader): FirmwareSettings => ({
  version: reader.text('firmware-version', '1.0.0'),
  failure: reader.choice('firmware-failure', firmwareFailures, 'none'),
  failurePercent: reader.whole('firmware-failure-percent', 100, { min: 0, max: 100 }),
  bytesPerSecond: reader.whole('firmware-bytes-per-second', 0, { min: 0 }),
  installSeconds: reader.whole('firmware-install-seconds', 2, { min: 0 }),
  rebootSeconds: reader.whole('firmware-reboot-seconds', 3, { min: 0 }),
});
