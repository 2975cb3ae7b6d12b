import { type DeviceLink, NoAnswer } from './device-link.js';

/** For a replica without a listener: it takes commands and keeps the queues, other replicas reach the devices. */
export class NoTransport implements DeviceLink {
  request(): Promise<never> {
    return Promise.reject(new NoAnswer('this replica has no listener for devices'));
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

  forget(): void {
    // Nothing was adopted.
  }

  hold(): void {
    // No state of any peer is needed.
  }

  release(): void {
    // No state of any peer is held.
  }
}
