import { type Identity, newId } from '@lanyard/service';
import { type DeviceOptions, eventually, type Thermometer, withKey } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscribedPathsMax } from '../src/interest/limits.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex } from './secure-test-system.js';
import { b64, temperature } from './subscription-test.js';
import { newKey, type Reply, TestSystem } from './test-system.js';

describe('subscriptions with attributes', () => {
  let system: TestSystem;
  let a: RunningProxy;
  let b: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('observe-attributes');
    [a, b] = await Promise.all([system.proxy('dp-a', { dtls: {} }), system.proxy('dp-b')]);
  });
  afterAll(() => system.close());

  const device = async (name: string, options: Partial<DeviceOptions> = {}): Promise<[Thermometer, string]> => {
    const thing = system.thing(a, name, { lwm2mVersion: '1.2', ...options });
    return [thing, await system.register(thing)];
  };
  const key = (): Identity => newKey(system.accountId);
  const call = (app: Identity, method: string, path: string): Promise<Reply> =>
    system.call(a, app, method, `/v2/subscriptions/${path}`);
  /** Resolves when the device has confirmed. */
  const subscribe = (app: Identity, deviceId: string, path: string): Promise<string> =>
    system.subscribe(a, app, deviceId, path);
  const audienceOf = async (deviceId: string, said: string): Promise<Set<string>> =>
    new Set(
      (await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64(said))).value.audience,
    );
  /** Queries of the requests that began (0) or ended (1) an observation. */
  const queries = ({ device: { received } }: Thermometer, observe: 0 | 1): string[] =>
    received.filter((request) => request.observe === observe).map(({ query }) => query.join('&'));

  it('are in the request that observes, and in the one that cancels', async () => {
    const [thing, deviceId] = await device('one');
    const app = key();
    // Clients of the v2 API also send parameters that are no attributes.
    await subscribe(app, deviceId, `${temperature}?pmin=10&pmax=60&async-id=mine&gt=30.5&con=1`);
    expect(queries(thing, 0)).toEqual(['con=1&gt=30.5&pmax=60&pmin=10']);
    await thing.device.report(`${temperature}?con=1&gt=30.5&pmax=60&pmin=10`, 31);
    expect(await audienceOf(deviceId, '31')).toEqual(new Set([app.keyId]));
    const { json } = await system.call(a, app, 'GET', `/v3/devices/${deviceId}/subscriptions`);
    expect(json['data']).toMatchObject([{ resource_path: temperature, attributes: 'con=1&gt=30.5&pmax=60&pmin=10' }]);
    expect((await call(app, 'DELETE', deviceId + temperature)).status).toBe(204);
    await eventually(() => expect(queries(thing, 1)).toEqual(['con=1&gt=30.5&pmax=60&pmin=10']));
  });

  it('are those of an observation, which keys with the same ones share, and others do not', async () => {
    const [thing, deviceId] = await device('shared');
    const [one, two, plain] = [key(), key(), key()];
    await subscribe(plain, deviceId, temperature);
    await subscribe(one, deviceId, `${temperature}?pmin=1&pmax=60`);
    await subscribe(two, deviceId, `${temperature}?pmax=60&pmin=1`);
    expect(queries(thing, 0)).toEqual(['', 'pmax=60&pmin=1']);
    await thing.device.report(`${temperature}?pmax=60&pmin=1`, 41);
    expect(await audienceOf(deviceId, '41')).toEqual(new Set([one.keyId, two.keyId]));
    await thing.device.report(temperature, 42);
    expect(await audienceOf(deviceId, '42')).toEqual(new Set([plain.keyId]));
    // A value outside observations is for all of them.
    await thing.device.send([[temperature, 43]]);
    expect(await audienceOf(deviceId, '43')).toEqual(new Set([one.keyId, two.keyId, plain.keyId]));
    await call(one, 'DELETE', deviceId + temperature);
    let said = 50;
    await eventually(async () => {
      await thing.device.report(`${temperature}?pmax=60&pmin=1`, ++said);
      expect(await audienceOf(deviceId, String(said))).toEqual(new Set([two.keyId]));
    });
    expect(queries(thing, 1)).toEqual([]);
  });

  it('replace those that the key had for the path', async () => {
    const [thing, deviceId] = await device('replaced');
    const app = key();
    for (const query of ['?gt=30', '?gt=40', '']) {
      await subscribe(app, deviceId, temperature + query);
      expect(thing.device.isObserved(temperature + query)).toBe(true);
    }
    await eventually(() => expect(queries(thing, 1)).toEqual(['gt=30', 'gt=40']));
    expect(thing.device.isObserved(temperature)).toBe(true);
    expect(await call(app, 'GET', deviceId)).toMatchObject({ status: 200, text: `${temperature}\n` });
  });

  it('go with the device to another replica', async () => {
    const [thing, deviceId] = await device('wanderer');
    const app = key();
    await subscribe(app, deviceId, `${temperature}?st=0.5`);
    thing.device.talkTo(`coap://127.0.0.1:${b.coapPort}`);
    await thing.device.report(`${temperature}?st=0.5`, 51);
    expect(await audienceOf(deviceId, '51')).toEqual(new Set([app.keyId]));
    await call(app, 'DELETE', deviceId + temperature);
    await eventually(() => expect(queries(thing, 1)).toEqual(['st=0.5']));
  });

  it('are in the request again when the observation has ended with its connection', async () => {
    const name = 'reconnecting';
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    await system.credential({ deviceId, identity: `id-${name}`, key: keyHex });
    await system.knows(a, name);
    const [thing] = await device(name, {
      server: `coaps://127.0.0.1:${a.dtlsPort}`,
      security: withKey(`id-${name}`, keyHex),
      dtls: { connectionId: false, handshakeMs: 2_000 },
    });
    const app = key();
    await subscribe(app, deviceId, `${temperature}?lt=10`);
    thing.device.dtls?.drop();
    await eventually(() => thing.device.update());
    await eventually(() => expect(queries(thing, 0)).toEqual(['lt=10', 'lt=10']));
    await thing.device.report(`${temperature}?lt=10`, 9);
    expect(await audienceOf(deviceId, '9')).toEqual(new Set([app.keyId]));
  });

  it.each(['refuses', 'ends'])('an observation that the device %s loses no other one of the path', async (how) => {
    const [thing, deviceId] = await device(`device-${how}`);
    const [app, other] = [key(), key()];
    await subscribe(other, deviceId, temperature);
    const query = '?pmin=5';
    if (how === 'ends') {
      await subscribe(app, deviceId, temperature + query);
      await thing.device.endObservation(temperature + query);
    } else {
      thing.device.resources.get(temperature)!.observable = false;
      const { json } = await call(app, 'PUT', deviceId + temperature + query);
      const { item } = (await system.result(String(json['async-response-id']))).value;
      expect(item).toMatchObject({ status: 412, error: 'NOT_OBSERVABLE' });
    }
    await eventually(async () => expect((await call(app, 'GET', deviceId + temperature)).status).toBe(404));
    expect((await call(other, 'GET', deviceId + temperature)).status).toBe(200);
    await thing.device.report(temperature, 61);
    expect(await audienceOf(deviceId, '61')).toEqual(new Set([other.keyId]));
  });

  it('that an application writes are neither checked nor sent again after a registration (spec §2.9)', async () => {
    const [thing, deviceId] = await device('written');
    const app = key();
    const statusOf = async (asyncId: string, body: object): Promise<number> => {
      await system.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
      return (await system.result(asyncId)).value.item.status;
    };
    expect(await statusOf('written', { method: 'PUT', uri: `${temperature}?pmin=60&pmax=10&lt=soon` })).toBe(200);
    await system.register(thing);
    expect(await statusOf('registered-again', { method: 'GET', uri: '/3/0/0' })).toBe(200);
    const writes = thing.device.received.filter(({ method }) => method === 'PUT');
    expect(writes).toMatchObject([{ path: temperature, query: ['pmin=60', 'pmax=10', 'lt=soon'] }]);
  });

  it('a device of LwM2M 1.1 is not asked, and a subscription that the key has stays', async () => {
    const [thing, deviceId] = await device('old', { lwm2mVersion: '1.1' });
    const [app, plain] = [key(), key()];
    await subscribe(plain, deviceId, temperature);
    for (const one of [app, plain]) {
      const { json } = await call(one, 'PUT', `${deviceId}${temperature}?pmin=1`);
      const { item } = (await system.result(String(json['async-response-id']))).value;
      expect(item).toMatchObject({ status: 400, error: 'NOT_OFFERED' });
    }
    expect((await call(app, 'GET', deviceId)).status).toBe(404);
    expect((await call(plain, 'GET', deviceId)).status).toBe(200);
    expect(queries(thing, 0)).toEqual(['']);
    await thing.device.report(temperature, 71);
    expect(await audienceOf(deviceId, '71')).toEqual(new Set([plain.keyId]));
  });

  it('429 for one observation more than a device may have; those that it has are shared, and one may be replaced', async () => {
    const deviceId = newId();
    await system.lifecycle(deviceId, 'crowded', 'created');
    const [app, other] = [key(), key()];
    const put = (as: Identity, query: string): Promise<Reply> => call(as, 'PUT', deviceId + temperature + query);
    await eventually(async () => expect((await put(app, '?pmin=1')).status).toBe(202));
    await system.rows(
      `INSERT INTO device_proxy.subscriptions (device_id, path, key_id, account_id, origin, status, changed_at)
       SELECT '${deviceId}', '/3303/0/' || n, '${newId()}', '${system.accountId}', 'resource', 'asked', now()
       FROM generate_series(1, ${subscribedPathsMax - 1}) AS n`,
    );
    expect((await put(other, '?pmin=1')).status).toBe(202);
    expect(await put(other, '?pmin=2')).toMatchObject({ status: 429, text: 'LIMITS_EXCEEDED' });
    const names = b64(JSON.stringify([{ n: '/3/0/9' }, { n: '/3/0/13' }]));
    const body = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': names };
    const together = await system.call(a, other, 'POST', `/v2/device-requests/${deviceId}?async-id=together`, body);
    expect(together).toMatchObject({ status: 400, text: 'LIMITS_EXCEEDED' });
    expect((await call(other, 'GET', deviceId)).text).toBe(`${temperature}\n`);
    expect((await call(app, 'DELETE', deviceId + temperature)).status).toBe(204);
    expect((await put(other, '?pmin=2')).status).toBe(202);
    expect((await put(app, '?pmin=3')).status).toBe(429);
  });

  it.each([
    ['one that is given twice', `${temperature}?pmin=1&pmin=2`],
    ['one without a value', `${temperature}?pmin`],
    ['a wrong value', `${temperature}?pmax=soon`],
    ['one that an instance cannot have', '/3303/0?gt=1'],
  ])('400 for %s', async (_, path) => {
    const [, deviceId] = await device(`bad-${path.length}-${path.at(-1)}`);
    expect(await call(key(), 'PUT', deviceId + path)).toMatchObject({ status: 400, text: 'BAD_REQUEST' });
  });
});
