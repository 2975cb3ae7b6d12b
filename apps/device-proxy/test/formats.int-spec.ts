import { type Identity, newId } from '@lanyard/service';
import { decodeValues, encodeValues, type ResourceValue, standardModels } from '@lanyard/lwm2m';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

const bytes = Buffer.from([0xff, 0, 1]);
/** Of no known type: it is asked for as text, and the device has bytes only. */
const ownPath = '/40000/0/1';

describe('the format in which a device is asked', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('formats');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'formats');
    thing.device.resources.set(ownPath, { read: () => bytes });
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  beforeEach(() => {
    thing.device.received.length = 0;
  });
  afterAll(() => system.close());

  const read = async (uri: string, accept?: string): Promise<object> => {
    const path = `/v2/device-requests/${deviceId}?async-id=${newId()}&wait=60`;
    return (await system.call(proxy, app, 'POST', path, { method: 'GET', uri, accept })).json;
  };

  it('is text for a single value and TLV for an instance; what the application wishes wins', async () => {
    expect(await read('/3303/0/5700')).toMatchObject({
      ct: 'text/plain',
      payload: Buffer.from('21.5').toString('base64'),
    });
    expect(await read('/3303/0')).toMatchObject({ ct: 'application/vnd.oma.lwm2m+tlv' });
    expect(await read('/3303/0', 'application/senml+json')).toMatchObject({ ct: 'application/senml+json' });
    expect(thing.device.received).toHaveLength(3);
  });

  it('is left to a device that refuses it, at once from the second time', async () => {
    const value = { status: 200, ct: 'application/octet-stream', payload: bytes.toString('base64') };
    expect(await read(ownPath)).toMatchObject(value);
    expect(thing.device.received).toHaveLength(2);
    expect(await read(ownPath)).toMatchObject(value);
    expect(thing.device.received).toHaveLength(3);
    expect(await read('/3303/0/5700')).toMatchObject({ ct: 'text/plain' });
    expect(thing.device.received).toHaveLength(4);
  });

  it('a refusal of what the application wishes is its answer', async () => {
    expect(await read(ownPath, 'text/plain')).toMatchObject({ status: 415, error: 'NOT_ACCEPTABLE' });
    expect(thing.device.received).toHaveLength(1);
  });

  it('is the same for observations', async () => {
    thing.device.resources.set('/40000/0/2', { read: () => bytes });
    for (const path of ['/3303/0/5700', '/3303/0', '/40000/0/2'])
      await system.call(proxy, app, 'PUT', `/v2/subscriptions/${deviceId}${path}`);
    const typeOf = (path: string): unknown =>
      system.values.find(({ value }) => value.cause === 'notify' && value.item.path === path)?.value.item.ct;
    await eventually(() =>
      expect(['/3303/0/5700', '/3303/0', '/40000/0/2'].map(typeOf)).toEqual([
        'text/plain',
        'application/vnd.oma.lwm2m+tlv',
        'application/octet-stream',
      ]),
    );
  });
});

describe('a device of LwM2M 1.2 that supports LwM2M CBOR', () => {
  const type = 'application/vnd.oma.lwm2m+cbor';
  const models = standardModels();
  const cbor = (...values: ResourceValue[]): string => encodeValues(11_544, '/', values).toString('base64');
  const text = (value: string): ResourceValue => ({ path: '/3341/0/5527', type: 'string', value });
  const valuesIn = (payload: unknown): (readonly [string, unknown])[] =>
    decodeValues(11_544, Buffer.from(String(payload), 'base64'), '/3303/0', models).map((v) => [v.path, v.value]);
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('lwm2m-cbor');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'lwm2m-cbor', { lwm2mVersion: '1.2', formats: [0, 42, 60, 320, 322, 11_544] });
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  afterAll(() => system.close());

  const ask = async (body: object): Promise<object> =>
    (await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${newId()}&wait=60`, body)).json;
  const value = (path: string, payload: string, cause: string) =>
    system.fact(
      system.values,
      ({ item, cause: why }) =>
        item.path === path && why === cause && Buffer.from(item.payload, 'base64').toString() === payload,
    );

  it('is read in it, as it refuses TLV, or where the application wishes', async () => {
    const instance = await ask({ method: 'GET', uri: '/3303/0' });
    expect(instance).toMatchObject({ status: 200, ct: type });
    const expected = [
      ['/3303/0/5700', 21.5],
      ['/3303/0/5701', 'Cel'],
    ];
    expect(valuesIn((instance as { payload: string }).payload)).toEqual(expected);
    const one = await ask({ method: 'GET', uri: '/3303/0/5700', accept: type });
    expect(one).toMatchObject({ status: 200, ct: type });
    expect(valuesIn((one as { payload: string }).payload)).toEqual(expected.slice(0, 1));
  });

  it('is written in it: a resource, an instance, and several paths', async () => {
    const write = async (method: string, uri: string, said: string): Promise<void> => {
      const body = { method, uri, 'content-type': type, 'payload-b64': cbor(text(said)) };
      expect(await ask(body)).toMatchObject({ status: 200 });
      expect(thing.device.received.at(-1)).toMatchObject({ method, path: uri, contentFormat: 11_544 });
      expect(thing.text).toBe(said);
    };
    await write('PUT', '/3341/0/5527', 'a resource');
    await write('POST', '/3341/0', 'an instance');
    await write('IPATCH', '/', 'several paths');
  });

  it('answers a list of paths in it; the list is in SenML-ETCH', async () => {
    const names = Buffer.from('[{"n":"/3303/0"},{"n":"/3/0/0"}]').toString('base64');
    const list = { 'content-type': 'application/senml-etch+json', 'payload-b64': names };
    const answer = await ask({ method: 'FETCH', uri: '/', ...list, accept: type });
    expect(answer).toMatchObject({ status: 200, ct: type });
    await value('/3303/0/5700', '21.5', 'read');
    await value('/3/0/0', 'Lanyard', 'read');
  });

  it('is observed in it, and its Send is read', async () => {
    const subscribed = await system.call(proxy, app, 'PUT', `/v2/subscriptions/${deviceId}/3303/0`);
    expect(subscribed.status).toBeLessThan(300);
    thing.celsius = 22.5;
    await eventually(() => expect(thing.device.isObserved('/3303/0')).toBe(true));
    await thing.device.changed('/3303/0/5700');
    const notified = await system.fact(
      system.values,
      ({ item, cause }) => item.path === '/3303/0' && cause === 'notify' && valuesIn(item.payload)[0]?.[1] === 22.5,
    );
    expect(notified.value.item.ct).toBe(type);
    await thing.device.send([['/3303/0/5700', 23.5]]);
    await value('/3303/0/5700', '23.5', 'send');
  });
});
