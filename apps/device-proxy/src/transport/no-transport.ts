import { type DeviceLink, NotSent } from './device-link.js';

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

  newest(): undefined {}

  // No device is connected, so there is nothing to remember or to end.
  adopt(): void {}
  forget(): void {}
  hold(): void {}
  disconnect(): void {}
  release(): void {}
}
