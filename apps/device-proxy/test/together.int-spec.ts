import type { Identity } from '@lanyard/service';
import { eventually, NotObserved, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey, type Reply } from './test-system.js';

const temperature = '/3303/0/5700';
const text = '/3341/0/5527';
const both = [temperature, text];

describe('several paths observed together', () => {
  let system: TestSystem;
  let a: RunningProxy;
  let b: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('together');
    [a, b] = await Promise.all([system.proxy('dp-a'), system.proxy('dp-b')]);
  });
  afterAll(() => system.close());

  const device = async (name: string, options = {}): Promise<[Thermometer, string, Identity]> => {
    const thing = system.thing(a, name, options);
    return [thing, await system.register(thing), newKey(system.accountId)];
  };
  const observe = (app: Identity, deviceId: string, paths: readonly string[], more: object = {}): Promise<Reply> => {
    const names = b64(JSON.stringify(paths.map((n) => ({ n }))));
    const body = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': names, ...more };
    return system.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=o-${deviceId}&wait=60`, body);
  };
  const subscriptions = (app: Identity, method: string, path: string): Promise<Reply> =>
    system.call(a, app, method, `/v2/subscriptions/${path}`);
  const value = (deviceId: string, path: string, said: string) =>
    system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === path && v.item.payload === b64(said));

  it('is one observation; each value is for its own path, and for the one who asked only', async () => {
    const [thing, deviceId, app] = await device('one');
    const other = newKey(system.accountId);
    expect((await observe(app, deviceId, both)).json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    expect(thing.device.received).toMatchObject([{ method: 'FETCH', path: '/', observe: 0, contentFormat: 110 }]);
    expect((await value(deviceId, temperature, '21.5')).value).toMatchObject({
      cause: 'notify',
      audience: [app.keyId],
    });
    expect((await value(deviceId, text, 'hello')).audience).toBe(app.keyId);
    expect((await subscriptions(app, 'GET', deviceId)).text).toBe(`${temperature}\n${text}\n`);
    // Another subscriber, by itself: an observation of its own, and no subscriber gets a value twice.
    await system.subscribe(a, other, deviceId, temperature);
    thing.celsius = 30;
    await thing.device.reportTogether(both);
    await thing.device.report(temperature, 31);
    expect((await value(deviceId, temperature, '30')).value.audience).toEqual([app.keyId]);
    expect((await value(deviceId, temperature, '31')).value.audience).toEqual([other.keyId]);
    // A value that was not requested is for both.
    await thing.device.send([[temperature, 32]]);
    expect(new Set((await value(deviceId, temperature, '32')).value.audience)).toEqual(
      new Set([app.keyId, other.keyId]),
    );
  });

  it('an instance stands for its resources', async () => {
    const [thing, deviceId, app] = await device('instance');
    await observe(app, deviceId, ['/3303/0', '/3/0/0']);
    await value(deviceId, '/3/0/0', 'Lanyard');
    thing.celsius = 22;
    await thing.device.reportTogether(['/3303/0', '/3/0/0']);
    expect((await value(deviceId, temperature, '22')).value).toMatchObject({ audience: [app.keyId] });
  });

  it('ends with the last of its paths', async () => {
    const [thing, deviceId, app] = await device('ended');
    await observe(app, deviceId, both);
    expect((await subscriptions(app, 'DELETE', deviceId + text)).status).toBe(204);
    thing.celsius = 25;
    await thing.device.reportTogether(both);
    expect((await value(deviceId, temperature, '25')).value.audience).toEqual([app.keyId]);
    expect((await subscriptions(app, 'DELETE', deviceId)).status).toBe(204);
    await eventually(() => expect(thing.device.areObserved(both)).toBe(false));
    const [first, last] = thing.device.received.filter(({ method }) => method === 'FETCH');
    expect(last).toMatchObject({ observe: 1, payload: first?.payload, contentFormat: 110 });
  });

  it('is a list in SenML-ETCH for a device of LwM2M 1.2, which reports in LwM2M CBOR as it was asked to', async () => {
    const [thing, deviceId, app] = await device('etch', { lwm2mVersion: '1.2', formats: [0, 110, 320, 11_544] });
    const formats = { 'content-type': 'application/senml-etch+json', accept: 'application/vnd.oma.lwm2m+cbor' };
    const answer = await observe(app, deviceId, both, formats);
    expect(answer.json).toMatchObject({ status: 200, ct: 'application/vnd.oma.lwm2m+cbor' });
    thing.celsius = 24;
    await thing.device.reportTogether(both);
    expect((await value(deviceId, temperature, '24')).value.audience).toEqual([app.keyId]);
    await subscriptions(app, 'DELETE', deviceId);
    await eventually(() => expect(thing.device.areObserved(both)).toBe(false));
    const [first, last] = thing.device.received.filter(({ method }) => method === 'FETCH');
    expect([first?.contentFormat, last?.contentFormat]).toEqual([320, 320]);
    expect(last).toMatchObject({ observe: 1, payload: first?.payload });
  });

  it('is in the format that each application chose, also where two devices are asked for the same paths', async () => {
    const [older, olderId, app] = await device('senml', { formats: [0, 110] });
    const [newer, newerId] = await device('etch-too', { lwm2mVersion: '1.2', formats: [0, 110, 320] });
    expect((await observe(app, olderId, both)).json).toMatchObject({ status: 200 });
    const answer = await observe(app, newerId, both, { 'content-type': 'application/senml-etch+json' });
    expect(answer.json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    const formats = [older, newer].map(({ device: { received } }) => received.map((one) => one.contentFormat));
    expect(formats).toEqual([[110], [320]]);
  });

  it('takes the place of what the key had path by path', async () => {
    const [thing, deviceId, app] = await device('instead');
    await system.subscribe(a, app, deviceId, temperature);
    expect((await observe(app, deviceId, both)).json).toMatchObject({ status: 200 });
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(false));
    expect(thing.device.areObserved(both)).toBe(true);
  });

  it('goes with the device to another replica', async () => {
    const [thing, deviceId, app] = await device('wanderer');
    await observe(app, deviceId, both);
    thing.device.talkTo(`coap://127.0.0.1:${b.coapPort}`);
    thing.celsius = 27;
    await thing.device.reportTogether(both);
    expect((await value(deviceId, temperature, '27')).value.audience).toEqual([app.keyId]);
    // Ended through the other one.
    await subscriptions(app, 'DELETE', deviceId);
    await eventually(() => expect(thing.device.areObserved(both)).toBe(false));
  });

  it('goes with the device to another replica when it reports in blocks, too', async () => {
    const [thing, deviceId, app] = await device('long-winded');
    await observe(app, deviceId, both);
    thing.device.talkTo(`coap://127.0.0.1:${b.coapPort}`);
    thing.text = 'word '.repeat(600);
    await thing.device.reportTogether(both);
    expect((await value(deviceId, text, thing.text)).value.audience).toEqual([app.keyId]);
  });

  it('a full registration loses it (spec §4.4 rule 1)', async () => {
    const [thing, deviceId, app] = await device('forgetful');
    await observe(app, deviceId, both);
    await system.register(thing);
    expect(await subscriptions(app, 'GET', deviceId)).toMatchObject({ status: 404 });
    await expect(thing.device.reportTogether(both)).rejects.toThrow(NotObserved);
    const states = (): string[] =>
      system.subscriptions
        .filter(({ value: v }) => v.deviceId === deviceId && v.path === text)
        .map((f) => f.value.status);
    await eventually(() => expect(states()).toEqual(['asked', 'confirmed', 'lost']));
  });

  it('the device that ends it ends the subscriptions', async () => {
    const [thing, deviceId, app] = await device('quitter');
    await observe(app, deviceId, both);
    await thing.device.endObservation(both.join(' '));
    await eventually(async () => expect((await subscriptions(app, 'GET', deviceId)).status).toBe(404));
  });

  it('a device that only answers leaves nothing behind', async () => {
    const [thing, deviceId, app] = await device('refuses');
    thing.device.resources.get(text)!.observable = false;
    expect((await observe(app, deviceId, both)).json).toMatchObject({ status: 412, error: 'NOT_OBSERVABLE' });
    expect((await subscriptions(app, 'GET', deviceId)).status).toBe(404);
  });

  it('a device of LwM2M 1.0 is not asked', async () => {
    const [thing, deviceId, app] = await device('old', { lwm2mVersion: '1.0' });
    expect((await observe(app, deviceId, both)).json).toMatchObject({ status: 400, error: 'NOT_OFFERED' });
    expect((await subscriptions(app, 'GET', deviceId)).status).toBe(404);
    expect(thing.device.received).toHaveLength(0);
  });

  it('and its key keeps what it had path by path', async () => {
    const [thing, deviceId, app] = await device('old-subscribed', { lwm2mVersion: '1.0' });
    await system.subscribe(a, app, deviceId, temperature);
    expect((await observe(app, deviceId, both)).json).toMatchObject({ status: 400, error: 'NOT_OFFERED' });
    expect((await subscriptions(app, 'GET', deviceId)).text).toBe(`${temperature}\n`);
    expect(thing.device.isObserved(temperature)).toBe(true);
  });

  it.each([
    ['another method', { method: 'GET', uri: temperature }],
    ['a write', { method: 'IPATCH' }],
    ['no list', { 'payload-b64': '' }],
  ])('400 for %s', async (_, more) => {
    const [, deviceId, app] = await device(`bad-${Object.values(more).join('-').length}`);
    expect(await observe(app, deviceId, both, more)).toMatchObject({ status: 400, text: 'BAD_REQUEST' });
  });
});
