import { type TimerWheel } from '@lanyard/coap';
import { type FleetEvent } from '../counts/tally.js';
import { type FirmwareFailure, type FirmwareSettings } from '../settings/firmware.js';
import { type PackageSource } from './sources.js';

export interface FirmwareHost {
  readonly settings: FirmwareSettings;
  readonly timers: TimerWheel;
  /** Whether this device is one of those that fail. */
  readonly failure: FirmwareFailure;
  /** Throws DownloadFailed for a URI that is none, or of an unknown protocol. */
  sourceOf(uri: string): PackageSource;
  count(event: FleetEvent): void;
  changed(paths: readonly string[]): void;
  /** Stays awake, and counts what arrived. */
  onProgress(bytes: number): void;
  /** Disappears without a word, and comes back after a while; `never`: it does not. */
  powerOff(backInSeconds: number | 'never'): void;
}
