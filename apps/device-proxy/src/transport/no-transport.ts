import { type DeviceLink, type NewestReport, NotSent } from './device-link.js';

/** For addresses without a listener on this replica, which accepts and queues commands; other replicas reach the devices. */
export class NoTransport implements DeviceLink {
  request(): Promise<never> {
    return Promise.reject(new NotSent('this replica has no listener for devices'));
  }

  observe(): Promise<never> {
    return this.request();
  }

  cancel(): Promise<never> {
    return this.request();
  }

  adopt(): void {
    // Notifications cannot arrive here.
  }

  newest(): ReadonlyMap<string, NewestReport> {
    return new Map();
  }

  forget(): void {
    // Nothing was adopted.
  }

  hold(): void {
    // No state of any peer is needed.
  }

  disconnect(): void {
    // No device is connected.
  }

  release(): void {
    // No state of any peer is held.
  }
}
