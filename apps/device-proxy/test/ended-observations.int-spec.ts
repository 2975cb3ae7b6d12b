import { Code } from '@lanyard/coap';
import { eventually } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { RawDevice } from './raw-device.js';
import { b64, SubscriptionTest, temperature } from './subscription-test.js';

describe('observations that a device ends without an error', () => {
  const test = new SubscriptionTest('ended-observations');

  it.each(['by a command', 'by itself'])(
    'an instance that the device deletes %s takes its observations',
    async (how) => {
      const [thing, deviceId] = await test.device(`deletes ${how}`);
      const app = test.key();
      const others = [...thing.device.resources].filter(([path]) => path.startsWith('/3303/0/'));
      thing.device.onInstance = (_, path) => thing.device.removeInstance(path);
      await test.call(app, 'PUT', `/${deviceId}${temperature}`);
      await eventually(() => expect(test.states(deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
      if (how === 'by itself') thing.device.removeInstance('/3303/0');
      else {
        const request = `/v2/device-requests/${deviceId}?async-id=delete`;
        await test.system.call(test.proxy, app, 'POST', request, { method: 'DELETE', uri: '/3303/0' });
        expect((await test.system.result('delete')).value.item.status).toBe(200);
      }
      await thing.device.update({ links: true });
      await eventually(() => expect(test.states(deviceId, app.keyId).at(-1)).toMatch(/^lost/));
      for (const [path, one] of others) thing.device.resources.set(path, one);
      await thing.device.update({ links: true });
      await test.subscribe(app, deviceId);
      await eventually(() => expect(thing.device.isObserved(temperature)).toBe(true));
      await eventually(() => thing.device.report(temperature, 33));
      const { value } = await test.system.fact(
        test.system.values,
        (v) => v.deviceId === deviceId && v.item.payload === b64('33'),
      );
      expect(value.audience).toEqual([app.keyId]);
    },
  );

  it('an instance that comes back before the device has updated is observed again', async () => {
    const [thing, deviceId] = await test.device('quick');
    const app = test.key();
    const others = [...thing.device.resources].filter(([path]) => path.startsWith('/3303/0/'));
    // At once: what the service asks for in between, for whatever reason, is there.
    thing.device.onInstance = (_, path) => {
      thing.device.removeInstance(path);
      for (const [name, one] of others) thing.device.resources.set(name, one);
    };
    await test.call(app, 'PUT', `/${deviceId}${temperature}`);
    await eventually(() => expect(test.states(deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
    const request = `/v2/device-requests/${deviceId}?async-id=quick`;
    await test.system.call(test.proxy, app, 'POST', request, { method: 'DELETE', uri: '/3303/0' });
    await test.system.result('quick');
    await thing.device.update();
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(true));
    expect(test.states(deviceId, app.keyId)).not.toContain('lost');
  });

  it('a path that the device is not ready to report is observed soon after, without another message', async () => {
    const app = test.key();
    await test.call(app, 'PUT', '', [{ 'endpoint-name': 'not-ready', 'resource-path': [temperature] }]);
    const device = await RawDevice.registered(test.proxy.coapPort, 'not-ready', '</3303/0>');
    try {
      const requests = new Set<number>();
      device.onObserve = (asked) => {
        requests.add(asked.messageId);
        if (requests.size === 1) device.refuse(asked, Code.ServiceUnavailable);
        else device.answer(asked, { number: 1, payload: '7', format: 0 });
      };
      const { value } = await test.system.fact(test.system.values, (v) => v.item.payload === b64('7'));
      expect([value.audience, requests.size]).toEqual([[app.keyId], 2]);
    } finally {
      device.close();
    }
  });

  it('a report without an observe number ends the observation, and its value counts', async () => {
    const device = await RawDevice.registered(test.proxy.coapPort, 'last-report', '</3303/0>');
    try {
      let token: Buffer | undefined;
      device.onObserve = (asked) => {
        ({ token } = asked);
        device.answer(asked, { number: 1, payload: '1', format: 0 });
      };
      const { value: session } = await test.system.fact(test.system.sessions, (s) => s.endpointName === 'last-report');
      const app = test.key();
      await test.call(app, 'PUT', `/${session.deviceId}${temperature}`);
      await eventually(() => expect(test.states(session.deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
      device.reportLast(token!, 77, '2');
      await test.system.fact(test.system.values, (v) => v.deviceId === session.deviceId && v.item.payload === b64('2'));
      await eventually(() => expect(test.states(session.deviceId, app.keyId).at(-1)).toBe('lost by the device'));
    } finally {
      device.close();
    }
  });

  it.each([
    ['its replica', 'unusable-here'],
    ['another replica', 'unusable-there'],
  ])('a report with an unknown critical option ends the observation at %s, its value not counted', async (at, name) => {
    const device = await RawDevice.registered(test.proxy.coapPort, name, '</3303/0>');
    try {
      let token: Buffer | undefined;
      device.onObserve = (asked) => {
        ({ token } = asked);
        device.answer(asked, { number: 1, payload: '1', format: 0 });
      };
      const { deviceId } = (await test.system.fact(test.system.sessions, (s) => s.endpointName === name)).value;
      const app = test.key();
      await test.subscribe(app, deviceId);
      // A process that stands still may ask for the first value twice.
      const told = () =>
        test.system.values.filter(({ value }) => value.deviceId === deviceId).map(({ value }) => value.item.payload);
      await eventually(() => expect(told()).toContain(b64('1')));
      if (at === 'another replica') device.talkTo((await test.system.proxy('dp-1')).coapPort);
      device.notifyUnusably(token!, 77, '2');
      expect(await device.answered(77)).toBe('RST');
      await eventually(() => expect(test.states(deviceId, app.keyId).at(-1)).toBe('lost by the device'));
      expect(told()).not.toContain(b64('2'));
    } finally {
      device.close();
    }
  });
});
