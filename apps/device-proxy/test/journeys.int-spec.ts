import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Thermometer } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey } from './test-system.js';

describe('a device and an application', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;

  beforeAll(async () => {
    system = await TestSystem.create('journeys');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'thermo-1', { parameters: { et: 'thermometer' } });
    deviceId = await system.register(thing);
  });
  afterAll(() => system.close());

  const key = (): ReturnType<typeof newKey> => newKey(system.accountId);

  it('a registration is a fact before the device has its answer', async () => {
    const { value, audience } = await system.fact(system.sessions, (v) => v.change === 'registered');
    expect(value).toMatchObject({
      item: { ep: deviceId, ept: 'thermometer', q: false },
      endpointName: 'thermo-1',
      lifetimeSeconds: 300,
      sessionId: thing.device.registrationId,
    });
    const contact = await system.fact(system.contacts, (v) => v.endpointName === 'thermo-1');
    expect(contact.value.deviceId).toBe(deviceId);
    expect(value.item.resources?.map((r) => r.path)).toEqual(['/3/0', '/3303/0', '/3341/0']);
    expect(audience).toBe('*');
  });

  it('reads', async () => {
    const app = key();
    const body = { method: 'GET', uri: '/3303/0/5700' };
    const reply = await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=read-1`, body);
    expect([reply.status, reply.text]).toEqual([202, '']);
    const { value, audience } = await system.result('read-1');
    expect(value).toMatchObject({
      item: { id: 'read-1', status: 200, payload: b64('21.5'), ct: 'text/plain' },
      outcome: 'succeeded',
      kind: 'device-request',
      endpointName: 'thermo-1',
    });
    expect(audience).toBe(app.keyId);
    const read = await system.fact(system.values, (v) => v.cause === 'read');
    expect([read.value.item.path, read.audience]).toEqual(['/3303/0/5700', '']);
  });

  it('subscribes, gets the first value and those that follow', async () => {
    const app = key();
    const { value } = await system.result(await system.subscribe(proxy, app, deviceId, '/3303/0/5700'));
    expect(value).toMatchObject({ kind: 'subscription', item: { status: 200 } });
    await system.fact(system.values, (v) => v.cause === 'notify' && v.audience.includes(app.keyId));
    await thing.device.report('/3303/0/5700', 22.5);
    const reported = await system.fact(system.values, (v) => v.item.payload === b64('22.5'));
    expect(reported).toMatchObject({ audience: app.keyId, value: { cause: 'notify', item: { path: '/3303/0/5700' } } });
  });
});
