import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { Harness, newKey } from './harness.js';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const temperature = '/3303/0/5700';

describe('several replicas', () => {
  let harness: Harness;
  let a: RunningProxy;
  let b: RunningProxy;

  beforeAll(async () => {
    harness = await Harness.create('replicas');
    [a, b] = await Promise.all([harness.proxy('dp-a'), harness.proxy('dp-b')]);
  });
  afterAll(() => harness.close());

  /** The balancer sends the device to another replica from now on. */
  const reroute = (thing: Thermometer, to: RunningProxy): void =>
    thing.device.talkTo(`coap://127.0.0.1:${to.coapPort}`);

  it('a subscription asked of one is confirmed by the other within the call', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(a, 'sub-elsewhere');
    const deviceId = await harness.register(thing);
    expect((await harness.call(b, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`)).status).toBe(200);
    await thing.device.report(temperature, 31);
    expect((await harness.fact(harness.values, (v) => v.item.payload === b64('31'))).audience).toBe(app.keyId);
    expect((await harness.call(b, app, 'DELETE', `/v2/subscriptions/${deviceId}${temperature}`)).status).toBe(204);
    await eventually(() => !thing.device.isObserved(temperature));
  });

  it('rules stored through one apply on the other', async () => {
    const app = newKey(harness.accountId);
    await harness.call(b, app, 'PUT', '/v2/subscriptions', [
      { 'endpoint-name': 'ruled', 'resource-path': [temperature] },
    ]);
    const thing = harness.thing(a, 'ruled');
    await harness.register(thing);
    await eventually(() => thing.device.isObserved(temperature));
  });

  it('a notification that arrives at another replica is taken over with its session, not reset', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(a, 'wanderer');
    const deviceId = await harness.register(thing);
    await harness.call(a, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    const first = await harness.fact(harness.values, (v) => v.deviceId === deviceId);
    reroute(thing, b);
    await thing.device.report(temperature, 32);
    const { value, audience } = await harness.fact(harness.values, (v) => v.item.payload === b64('32'));
    expect([audience, value.epoch > first.value.epoch]).toEqual([app.keyId, true]);
    await harness.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=followed`, {
      method: 'GET',
      uri: temperature,
    });
    expect((await harness.result('followed')).value).toMatchObject({ outcome: 'succeeded' });
    reroute(thing, a);
    await thing.device.report(temperature, 33);
    await harness.fact(harness.values, (v) => v.item.payload === b64('33'));
  });

  it('an update that arrives at another replica takes the session over, and commands follow it', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(a, 'switcher');
    const deviceId = await harness.register(thing);
    reroute(thing, b);
    await thing.device.update();
    await harness.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=switched`, {
      method: 'GET',
      uri: temperature,
    });
    expect((await harness.result('switched')).value).toMatchObject({ outcome: 'succeeded' });
    reroute(thing, a);
    await thing.device.send([[temperature, 3]]);
    reroute(thing, b);
    await thing.device.deregister();
    await harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.change === 'deregistered');
  });

  it('a restarted replica knows its devices and what they are observed for', async () => {
    const app = newKey(harness.accountId);
    let c = await harness.proxy('dp-c');
    const coapPort = c.coapPort;
    const thing = harness.thing(c, 'survivor');
    const deviceId = await harness.register(thing);
    await harness.call(c, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    await eventually(() => thing.device.isObserved(temperature));
    await harness.stop(c);
    const reported = thing.device.report(temperature, 41);
    const waiting = await harness.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=survives`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect(waiting.status).toBe(202);
    c = await harness.proxy('dp-c', { coapPort });
    await reported;
    expect(await harness.fact(harness.values, (v) => v.item.payload === b64('41'))).toMatchObject({
      audience: app.keyId,
    });
    expect((await harness.result('survives')).value).toMatchObject({ outcome: 'succeeded' });
    await thing.device.report(temperature, 42);
    await thing.device.update();
    await harness.fact(harness.values, (v) => v.item.payload === b64('42'));
    await harness.call(c, app, 'DELETE', `/v2/subscriptions/${deviceId}${temperature}`);
    await eventually(() => !thing.device.isObserved(temperature));
  });

  it('what was in flight when a replica died: a read is repeated, an execute is not', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(a, 'in-doubt');
    const deviceId = await harness.register(thing);
    let release = (): void => undefined;
    thing.device.beforeAnswer = () => new Promise((resolve) => (release = resolve));
    const path = `/v2/device-requests/${deviceId}?async-id=`;
    await harness.call(a, app, 'POST', `${path}doubt-exec`, { method: 'POST', uri: '/3/0/4' });
    await eventually(() => thing.device.received.length === 1);
    // The device shows up elsewhere: for the new owner the execute is in doubt.
    reroute(thing, b);
    await thing.device.update();
    const { value } = await harness.result('doubt-exec');
    expect(value.item).toMatchObject({ status: 504, error: 'TIMEOUT' });
    const history = await harness.call(a, app, 'GET', '/v3/device-requests/doubt-exec');
    expect(history.json.note).toMatch(/not safe to repeat/);
    release();
    thing.device.beforeAnswer = undefined;
    expect(thing.reboots).toBeLessThanOrEqual(1);
    await harness.call(a, app, 'POST', `${path}after-doubt`, { method: 'GET', uri: '/3/0/0' });
    expect((await harness.result('after-doubt')).value).toMatchObject({ outcome: 'succeeded' });
  });
});
