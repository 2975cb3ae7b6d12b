import type { Identity } from '@lanyard/service';
import type { Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { newKey, type Reply, TestSystem } from './test-system.js';

export { b64 } from './test-system.js';
export const temperature = '/3303/0/5700';

/** One replica with devices and their subscribers, for all tests of a `describe`. */
export class SubscriptionTest {
  system!: TestSystem;
  proxy!: RunningProxy;

  constructor(name: string) {
    beforeAll(async () => {
      this.system = await TestSystem.create(name);
      this.proxy = await this.system.proxy('dp-0');
    });
    afterAll(() => this.system.close());
  }

  key(): Identity {
    return newKey(this.system.accountId);
  }

  call(app: Identity, method: string, path: string, body?: unknown): Promise<Reply> {
    return this.system.call(this.proxy, app, method, `/v2/subscriptions${path}`, body);
  }

  /** Resolves when the device has confirmed. */
  subscribe(app: Identity, deviceId: string, path = temperature): Promise<string> {
    return this.system.subscribe(this.proxy, app, deviceId, path);
  }

  async device(name: string): Promise<[Thermometer, deviceId: string]> {
    const thing = this.system.thing(this.proxy, name);
    return [thing, await this.system.register(thing)];
  }

  /** What was announced of the subscriptions of a key to a device, in order. */
  states(deviceId: string, keyId: string): string[] {
    return this.system.subscriptions
      .filter(({ value }) => value.deviceId === deviceId && value.keyId === keyId)
      .map(({ value: { status, byDevice } }) => (byDevice ? `${status} by the device` : status));
  }
}
