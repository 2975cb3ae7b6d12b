import type { Identity } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey, type Reply } from './test-system.js';
import { RawDevice } from './raw-device.js';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const temperature = '/3303/0/5700';

describe('observations that a device ends without an error', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('ended-observations');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  const key = (): Identity => newKey(system.accountId);
  const call = (app: Identity, method: string, path: string, body?: unknown): Promise<Reply> =>
    system.call(proxy, app, method, `/v2/subscriptions${path}`, body);
  const device = async (name: string): Promise<[Thermometer, string]> => {
    const thing = system.thing(proxy, name);
    return [thing, await system.register(thing)];
  };
  const states = (deviceId: string, keyId: string): string[] =>
    system.subscriptions
      .filter(({ value }) => value.deviceId === deviceId && value.keyId === keyId)
      .map(({ value: { status, byDevice } }) => (byDevice ? `${status} by the device` : status));

  it.each(['by a command', 'by itself'])(
    'an instance that the device deletes %s takes its observations',
    async (how) => {
      const [thing, deviceId] = await device(`deletes ${how}`);
      const app = key();
      const others = [...thing.device.resources].filter(([path]) => path.startsWith('/3303/0/'));
      thing.device.onInstance = (_, path) => thing.device.removeInstance(path);
      await call(app, 'PUT', `/${deviceId}${temperature}`);
      await eventually(() => expect(states(deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
      if (how === 'by itself') thing.device.removeInstance('/3303/0');
      else {
        const request = `/v2/device-requests/${deviceId}?async-id=delete`;
        await system.call(proxy, app, 'POST', request, { method: 'DELETE', uri: '/3303/0' });
        expect((await system.result('delete')).value.item.status).toBe(200);
      }
      await thing.device.update({ links: true });
      await eventually(() => expect(states(deviceId, app.keyId).at(-1)).toMatch(/^lost/));
      for (const [path, one] of others) thing.device.resources.set(path, one);
      await thing.device.update({ links: true });
      expect((await call(app, 'PUT', `/${deviceId}${temperature}`)).status).toBe(200);
      await eventually(() => expect(thing.device.isObserved(temperature)).toBe(true));
      await eventually(() => thing.device.report(temperature, 33));
      const { value } = await system.fact(
        system.values,
        (v) => v.deviceId === deviceId && v.item.payload === b64('33'),
      );
      expect(value.audience).toEqual([app.keyId]);
    },
  );

  it('an instance that comes back before the device has updated is observed again', async () => {
    const [thing, deviceId] = await device('quick');
    const app = key();
    const others = [...thing.device.resources].filter(([path]) => path.startsWith('/3303/0/'));
    thing.device.onInstance = (_, path) => thing.device.removeInstance(path);
    await call(app, 'PUT', `/${deviceId}${temperature}`);
    await eventually(() => expect(states(deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
    const request = `/v2/device-requests/${deviceId}?async-id=quick`;
    await system.call(proxy, app, 'POST', request, { method: 'DELETE', uri: '/3303/0' });
    await system.result('quick');
    for (const [path, one] of others) thing.device.resources.set(path, one);
    await thing.device.update();
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(true));
    expect(states(deviceId, app.keyId)).not.toContain('lost');
  });

  it('a report without an observe number ends the observation, and its value counts', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'last-report', '</3303/0>');
    try {
      let token: Buffer | undefined;
      device.onObserve = (asked) => {
        ({ token } = asked);
        device.answer(asked, { number: 1, payload: '1', format: 0 });
      };
      const { value: session } = await system.fact(system.sessions, (s) => s.endpointName === 'last-report');
      const app = key();
      await call(app, 'PUT', `/${session.deviceId}${temperature}`);
      await eventually(() => expect(states(session.deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
      device.reportLast(token!, 77, '2');
      await system.fact(system.values, (v) => v.deviceId === session.deviceId && v.item.payload === b64('2'));
      await eventually(() => expect(states(session.deviceId, app.keyId).at(-1)).toBe('lost by the device'));
    } finally {
      device.close();
    }
  });
});
