import { type TimerWheel } from '@lanyard/coap';
import { type FleetEvent } from '../counts/tally.js';
import { type FirmwareFailure, type FirmwareSettings } from '../settings/firmware.js';
import { type PackageSource } from './sources.js';

export interface FirmwareHost {
  readonly settings: FirmwareSettings;
  readonly timers: TimerWheel;
  /** Whether this device is one of those that fail. */
  readonly failure: FirmwareFailure;
  /** Throws DownloadFailed for a text that is no URI, or for an unknown protocol. */
  sourceOf(uri: string): PackageSource;
  count(event: FleetEvent): void;
  changed(paths: readonly string[]): void;
  /** Keeps the device awake, and counts the bytes that arrived. */
  onProgress(bytes: number): void;
  /** Disappears without telling the server, and comes back after a while, or `never`. */
  powerOff(backInSeconds: number | 'never'): void;
}
