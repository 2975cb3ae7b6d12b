import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem } from './test-system.js';
import { RawDevice } from './raw-device.js';

/** For a machine ten times slower than a developer's. */
const temperature = '/3303/0/5700';
/** All devices of the model observe with it by themselves. */
const token = Buffer.from([1, 2]);

describe('devices that chose the same token for observations of their own', () => {
  let system: TestSystem;
  const devices: RawDevice[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('own-tokens');
  });
  afterAll(async () => {
    for (const device of devices) device.close();
    await system.close();
  });

  it('keep their values and their sessions apart, at another replica too', async () => {
    const [a, b] = [await system.proxy('dp-a'), await system.proxy('dp-b')];
    const ids: string[] = [];
    for (const name of ['first', 'second']) {
      devices.push(await RawDevice.registered(a.coapPort, name, '</3303/0/5700>;obs;aobs=258'));
      const { value } = await system.fact(system.sessions, (v) => v.endpointName === name);
      ids.push(value.deviceId);
    }
    for (const [n, device] of devices.entries()) {
      expect(await device.told(token, { number: 1, messageId: 50, payload: `1${n}`, format: 0 })).toBe('ACK');
      device.talkTo(b.coapPort);
    }
    for (const [n, device] of devices.entries())
      expect(await device.told(token, { number: 2, messageId: 51, payload: `2${n}`, format: 0 })).toBe('ACK');
    for (const [n, deviceId] of ids.entries()) {
      const base64 = Buffer.from(`2${n}`).toString('base64');
      const { value } = await system.fact(system.values, (v) => v.item.payload === base64);
      expect(value).toMatchObject({ deviceId, item: { path: temperature }, cause: 'auto-observation' });
    }
  });
});
