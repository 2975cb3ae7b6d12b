import { type CoapMessage, Code } from '@lanyard/coap';
import { type Identity, newId, REDIS } from '@lanyard/service';
import { eventually, NotObserved, TestClock } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { SessionStore } from '../src/sessions/session-store.js';
import { newKey } from './test-system.js';
import { RawDevice } from './raw-device.js';
import { b64, SubscriptionTest, temperature } from './subscription-test.js';

const linkFormat = 40;

describe('/v2/subscriptions/{device-id}/{resource-path}', () => {
  const test = new SubscriptionTest('subscriptions');

  it('each subscriber gets the first value and the later ones; the device is asked to observe once', async () => {
    const [thing, deviceId] = await test.device('shared');
    const [one, two] = [test.key(), test.key()];
    await test.subscribe(one, deviceId);
    await test.system.fact(test.system.values, (v) => v.deviceId === deviceId && v.audience.includes(one.keyId));
    const second = await test.call(two, 'PUT', `/${deviceId}${temperature}`);
    expect(second.status).toBe(200);
    expect((await test.system.result(String(second.json['async-response-id']))).value.item).toMatchObject({
      status: 200,
      payload: b64('21.5'),
    });
    await test.system.fact(test.system.values, (v) => v.deviceId === deviceId && v.audience.join() === two.keyId);
    await thing.device.report(temperature, 30);
    const { value } = await test.system.fact(
      test.system.values,
      (v) => v.deviceId === deviceId && v.item.payload === b64('30'),
    );
    expect(new Set(value.audience)).toEqual(new Set([one.keyId, two.keyId]));
    expect(thing.device.received.filter((r) => r.observe === 0)).toHaveLength(1);
    await eventually(() => expect(test.states(deviceId, one.keyId)).toEqual(['asked', 'confirmed']));
  });

  it('the answer goes with the first value, for who observes first and for who comes later, and is told once', async () => {
    const [, deviceId] = await test.device('answered');
    for (const app of [test.key(), test.key()]) {
      const asked = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
      const id = String(asked.json['async-response-id']);
      const { value } = await test.system.fact(
        test.system.values,
        (v) => v.deviceId === deviceId && v.audience.includes(app.keyId),
      );
      expect(value.answer).toMatchObject({ keyId: app.keyId, item: { id, status: 200, payload: value.item.payload } });
      expect((await test.system.result(id)).value).toMatchObject({ answeredWithValue: true, item: value.answer?.item });
    }
  });

  it('the answer has the same uid when the command is carried out again after it was sent', async () => {
    const clock = new TestClock(Date.now());
    const proxy = await test.system.proxy('dp-again', { clock });
    const device = await RawDevice.registered(proxy.coapPort, 'asked-again', '</3303/0>');
    const { deviceId } = (await test.system.fact(test.system.sessions, (v) => v.endpointName === 'asked-again')).value;
    const redis = proxy.app.get<Redis>(REDIS, { strict: false });
    const observations = proxy.app.get(SessionStore, { strict: false }).keys.observations(deviceId);
    const first = new Promise<CoapMessage>((resolve) => (device.onObserve = resolve));
    const asked = test.system.call(proxy, test.key(), 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    const request = await first;
    // Its value and its answer are sent, but the observation cannot be stored: the command is put back.
    await redis.hset(observations, temperature, 'not what this service writes');
    device.onObserve = (again) => device.answer(again, { number: 2, payload: '20', format: 0 });
    device.answer(request, { number: 1, payload: '20', format: 0 });
    const waiting = `SELECT id FROM device_proxy.commands WHERE device_id = '${deviceId}' AND state = 'waiting'`;
    await eventually(async () => expect(await test.system.rows(waiting)).toHaveLength(1));
    await redis.del(observations);
    const answers = () => test.system.values.filter((v) => v.value.deviceId === deviceId).map((v) => v.value.answer);
    // The request waits for the answer of the device, by this clock.
    const replies: { json: Record<string, unknown> }[] = [];
    void asked.then((reply) => replies.push(reply));
    await eventually(async () => {
      await clock.advance(1_000);
      expect([answers().length, replies.length]).toEqual([2, 1]);
    });
    const id = String(replies[0]?.json['async-response-id']);
    expect((await test.system.result(id)).value).toMatchObject({ answeredWithValue: true });
    const [one, two] = answers();
    expect([one?.item.id, two]).toEqual([id, one]);
    device.close();
  });

  it('a value is fresh for as long as the device says, and otherwise for 60 s (RFC 7252 §5.10.5)', async () => {
    const device = await RawDevice.registered(test.proxy.coapPort, 'fresh', '</3303/0>');
    const { deviceId } = (await test.system.fact(test.system.sessions, (v) => v.endpointName === 'fresh')).value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0, maxAge: 9 });
    const said = (payload: string) =>
      test.system.fact(test.system.values, (v) => v.deviceId === deviceId && v.item.payload === b64(payload));
    await test.subscribe(test.key(), deviceId);
    expect((await said('20')).value).toMatchObject({ item: { 'max-age': 9 }, answer: { item: { 'max-age': 9 } } });
    const [{ token }] = device.requests() as [CoapMessage];
    expect(await device.told(token, { number: 2, messageId: 102, payload: '21', format: 0, maxAge: 7 })).toBe('ACK');
    expect((await said('21')).value.item['max-age']).toBe(7);
    expect(await device.told(token, { number: 3, messageId: 103, payload: '22', format: 0 })).toBe('ACK');
    expect((await said('22')).value.item['max-age']).toBe(60);
    device.close();
  });

  it('administrators see who is subscribed to a device, page by page; others see themselves', async () => {
    const [, deviceId] = await test.device('seen');
    const [one, two] = [test.key(), test.key()];
    for (const [app, path] of [
      [one, temperature],
      [one, '/3341/0/5527'],
      [two, temperature],
    ] as const)
      await test.call(app, 'PUT', `/${deviceId}${path}`);
    const list = async (app: Identity, query = ''): Promise<Record<string, unknown>[]> =>
      (await test.system.call(test.proxy, app, 'GET', `/v3/devices/${deviceId}/subscriptions${query}`)).json[
        'data'
      ] as never;
    expect(await list(two)).toMatchObject([
      { id: `${two.keyId}${temperature}`, key_id: two.keyId, resource_path: temperature, origin: 'request' },
    ]);
    const admin: Identity = { ...test.key(), permissions: ['admin', 'devices'] };
    const all = await list(admin);
    expect(all.map(({ id }) => id)).toEqual(
      [`${one.keyId}${temperature}`, `${one.keyId}/3341/0/5527`, `${two.keyId}${temperature}`].toSorted(),
    );
    for (const order of ['ASC', 'DESC']) {
      const pages = await list(admin, `?limit=2&order=${order}`);
      const rest = await list(admin, `?limit=2&order=${order}&after=${String(pages.at(-1)?.['id'])}`);
      expect([...pages, ...rest]).toEqual(order === 'ASC' ? all : all.toReversed());
    }
    const stranger: Identity = { ...newKey(newId()), permissions: ['admin', 'devices'] };
    const path = `/v3/devices/${deviceId}/subscriptions`;
    expect(await test.system.call(test.proxy, stranger, 'GET', path)).toMatchObject({ status: 404 });
  });

  it('lists, shows and ends subscriptions; the observation ends with the last one', async () => {
    const [thing, deviceId] = await test.device('ended');
    const app = test.key();
    expect(await test.call(app, 'GET', `/${deviceId}`)).toMatchObject({ status: 404 });
    await test.subscribe(app, deviceId);
    await test.subscribe(app, deviceId, '/3341/0/5527');
    const listed = await test.system.raw(test.proxy, app, 'GET', `/v2/subscriptions/${deviceId}`);
    expect([listed.status, listed.headers.get('content-type')]).toEqual([200, 'text/uri-list']);
    expect(await listed.text()).toBe('/3303/0/5700\n/3341/0/5527\n');
    expect(await test.call(app, 'GET', `/${deviceId}${temperature}`)).toMatchObject({ status: 200, text: '' });
    expect(await test.call(test.key(), 'GET', `/${deviceId}${temperature}`)).toMatchObject({ status: 404 });
    expect(await test.call(app, 'DELETE', `/${deviceId}${temperature}`)).toMatchObject({ status: 204 });
    expect(await test.call(app, 'GET', `/${deviceId}${temperature}`)).toMatchObject({ status: 404 });
    await eventually(() => !thing.device.isObserved(temperature));
    expect(thing.device.isObserved('/3341/0/5527')).toBe(true);
    expect(await test.call(app, 'DELETE', `/${deviceId}`)).toMatchObject({ status: 204 });
    await eventually(() => !thing.device.isObserved('/3341/0/5527'));
    await eventually(() => expect(test.states(deviceId, app.keyId).filter((s) => s === 'lost')).toHaveLength(2));
    // There is nothing left to end.
    for (const path of [`/${deviceId}${temperature}`, `/${deviceId}`])
      expect(await test.call(app, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
    expect(await test.call(app, 'GET', `/${deviceId}`)).toMatchObject({ status: 404, text: 'SUBSCRIPTION_NOT_FOUND' });
  });

  it('a full registration loses the subscription (spec §4.4 rule 1)', async () => {
    const [thing, deviceId] = await test.device('forgetful');
    const app = test.key();
    await test.subscribe(app, deviceId);
    await test.system.register(thing);
    expect(await test.call(app, 'GET', `/${deviceId}${temperature}`)).toMatchObject({ status: 404 });
    await eventually(() =>
      expect(test.states(deviceId, app.keyId)).toEqual(['asked', 'confirmed', 'lost by the device']),
    );
    await expect(thing.device.report(temperature, 1)).rejects.toThrow(NotObserved);
  });

  it('404 for an unknown device and for a path it cannot have; 400 for what is no path', async () => {
    const [, deviceId] = await test.device('paths');
    const ofUnknown = [
      ['PUT', temperature],
      ['GET', temperature],
      ['DELETE', temperature],
      ['GET', ''],
      ['DELETE', ''],
    ] as const;
    const replies = ofUnknown.map(([method, path]) => test.call(test.key(), method, `/${newId()}${path}`));
    for (const reply of await Promise.all(replies))
      expect(reply).toMatchObject({ status: 404, text: 'DEVICE_NOT_FOUND' });
    expect(await test.call(test.key(), 'PUT', `/${deviceId}/3303/7/5700`)).toMatchObject({
      status: 404,
      text: 'URI_PATH_DOES_NOT_EXISTS',
    });
    for (const path of ['/temperature', '/3303/*', '/3303/0/65535'])
      expect(await test.call(test.key(), 'PUT', `/${deviceId}${path}`)).toMatchObject({
        status: 400,
        text: 'RESOURCE_NOT_FOUND',
      });
  });

  it('a subscription the device refuses fails and leaves nothing behind', async () => {
    const [thing, deviceId] = await test.device('refuses');
    thing.device.resources.get('/3303/0/5701')!.observable = false;
    const app = test.key();
    const refused = await test.call(app, 'PUT', `/${deviceId}/3303/0/5701`);
    expect(refused.status).toBe(202);
    expect((await test.system.result(String(refused.json['async-response-id']))).value.item).toMatchObject({
      status: 412,
      error: 'NOT_OBSERVABLE',
    });
    const missing = await test.call(app, 'PUT', `/${deviceId}/3303/0/9999`);
    expect((await test.system.result(String(missing.json['async-response-id']))).value.item).toMatchObject({
      status: 404,
      error: 'RESOURCE_NOT_FOUND',
    });
    expect(await test.call(app, 'GET', `/${deviceId}`)).toMatchObject({ status: 404 });
  });

  it('one to a suspended device fails, whether it waits or is new, and leaves nothing behind', async () => {
    const deviceId = newId();
    await test.system.lifecycle(deviceId, 'suspended', 'created');
    const app = test.key();
    const ask = async (): Promise<string> => {
      const { status, json } = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
      expect(status).toBe(202);
      return String(json['async-response-id']);
    };
    const waiting = await eventually(ask);
    await test.system.lifecycle(deviceId, 'suspended', 'suspended');
    const blocked = { status: 429, error: 'DEVICE_BLOCKED', payload: '' };
    expect((await test.system.result(waiting)).value.item).toMatchObject(blocked);
    expect((await test.system.result(await ask())).value.item).toMatchObject(blocked);
    expect((await test.call(app, 'GET', `/${deviceId}`)).status).toBe(404);
  });

  it('an answer that cannot be used is none: the subscription fails, and what waits behind it is asked', async () => {
    const device = await RawDevice.registered(test.proxy.coapPort, 'odd', '</3303/0>');
    const { value } = await test.system.fact(test.system.sessions, (v) => v.endpointName === 'odd');
    device.onObserve = (request) => {
      if (request.options.some(({ value }) => value.toString() === '5700')) device.answerUnusably(request);
      else device.answer(request, { number: 1, payload: '20', format: 0 });
    };
    const app = test.key();
    for (const [path, status] of [
      [temperature, 504],
      ['/3303/0/5701', 200],
    ] as const) {
      const { json } = await test.call(app, 'PUT', `/${value.deviceId}${path}`);
      expect((await test.system.result(String(json['async-response-id']))).value.item.status).toBe(status);
    }
    device.close();
  });

  it('one that the device has confirmed stays when the same request is made again and fails', async () => {
    const device = await RawDevice.registered(test.proxy.coapPort, 'asked-for-again', '</3303/0>');
    const { deviceId } = (await test.system.fact(test.system.sessions, (v) => v.endpointName === 'asked-for-again'))
      .value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
    device.onRequest = (request) => device.refuse(request, Code.ServiceUnavailable);
    const app = test.key();
    await test.subscribe(app, deviceId);
    const [{ token }] = device.requests() as [CoapMessage];
    const again = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
    expect(again.status).toBe(200);
    expect((await test.system.result(String(again.json['async-response-id']))).value.item).toMatchObject({
      status: 502,
      error: 'SERVICE_UNAVAILABLE',
    });
    expect(await test.call(app, 'GET', `/${deviceId}${temperature}`)).toMatchObject({ status: 200 });
    expect(await device.told(token, { number: 2, messageId: 102, payload: '21', format: 0 })).toBe('ACK');
    const said = await test.system.fact(
      test.system.values,
      (v) => v.deviceId === deviceId && v.item.payload === b64('21'),
    );
    expect(said.audience).toBe(app.keyId);
    await eventually(() => expect(test.states(deviceId, app.keyId)).toEqual(['asked', 'confirmed']));
    device.close();
  });

  it('of two requests of a key for one path, the second is carried out although the first has failed', async () => {
    const deviceId = newId();
    await test.system.lifecycle(deviceId, 'asked-twice', 'created');
    const app = test.key();
    const ask = async (): Promise<string> => {
      const { status, json } = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
      expect(status).toBe(202);
      return String(json['async-response-id']);
    };
    const first = await eventually(ask);
    const second = await ask();
    const cancelled = await test.system.call(test.proxy, app, 'DELETE', `/v3/device-requests/${first}`);
    expect(cancelled.status).toBe(204);
    const thing = test.system.thing(test.proxy, 'asked-twice');
    await thing.device.register();
    expect((await test.system.result(second)).value.item).toMatchObject({ status: 200, payload: b64('21.5') });
    await thing.device.report(temperature, 24);
    const said = await test.system.fact(
      test.system.values,
      (v) => v.deviceId === deviceId && v.item.payload === b64('24'),
    );
    expect(said.audience).toBe(app.keyId);
  });

  it('an absent device is asked when it comes', async () => {
    const deviceId = newId();
    await test.system.lifecycle(deviceId, 'late', 'created');
    const app = test.key();
    const reply = await eventually(async () => {
      const answer = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
      expect(answer.status).toBe(202);
      return answer;
    });
    const thing = test.system.thing(test.proxy, 'late');
    await thing.device.register();
    const { value } = await test.system.result(String(reply.json['async-response-id']));
    expect(value.item).toMatchObject({ status: 200, payload: b64('21.5') });
    await thing.device.report(temperature, 23);
    expect((await test.system.fact(test.system.values, (v) => v.item.payload === b64('23'))).audience).toBe(app.keyId);
    // It leaves, is asked for again while it is away, and comes back: a registration loses only what was confirmed.
    await thing.device.deregister();
    const again = await test.call(app, 'PUT', `/${deviceId}${temperature}`);
    expect(again.status).toBe(202);
    await thing.device.register();
    expect((await test.system.result(String(again.json['async-response-id']))).value.item.status).toBe(200);
  });

  it('records what a device observes by itself, and delivers it only to subscribers (spec §2.4 rule 3)', async () => {
    const thing = test.system.thing(test.proxy, 'auto', { links: '</3/0>,</3303/0/5700>;obs;aobs=7' });
    const deviceId = await test.system.register(thing);
    thing.device.observeByItself(temperature, Buffer.from([7]));
    await thing.device.report(temperature, 51);
    const first = await test.system.fact(test.system.values, (v) => v.item.payload === b64('51'));
    expect([first.value.cause, first.value.item.path, first.audience]).toEqual(['auto-observation', temperature, '']);
    const app = test.key();
    await test.subscribe(app, deviceId);
    await thing.device.report(temperature, 52);
    expect(await test.system.fact(test.system.values, (v) => v.item.payload === b64('52'))).toMatchObject({
      audience: app.keyId,
      value: { cause: 'notify' },
    });
    await test.call(app, 'DELETE', `/${deviceId}${temperature}`);
    await eventually(async () => {
      await thing.device.report(temperature, 53);
      expect(test.system.values.at(-1)).toMatchObject({ audience: '' });
    });
  });

  it('so is what it observes by itself from an update on, also under another number', async () => {
    const thing = test.system.thing(test.proxy, 'later', { links: '</3/0>' });
    await test.system.register(thing);
    for (const [number, payload] of [
      [8, '61'],
      [9, '62'],
    ] as const) {
      const links = Buffer.from(`</3/0>,</3303/0/5700>;obs;aobs=${number}`);
      const body = { payload: links, contentFormat: linkFormat };
      await thing.device.request(Code.POST, ['rd', thing.device.registrationId ?? ''], [], body);
      thing.device.observeByItself(temperature, Buffer.from([number]));
      await thing.device.report(temperature, Number(payload));
      const { value } = await test.system.fact(test.system.values, (v) => v.item.payload === b64(payload));
      expect(value.cause).toBe('auto-observation');
    }
  });

  it('a device may end an observation: the subscription is lost', async () => {
    const [thing, deviceId] = await test.device('ender');
    const app = test.key();
    await test.subscribe(app, deviceId, '/3303/0');
    await thing.device.endObservation('/3303/0');
    await eventually(() =>
      expect(test.states(deviceId, app.keyId)).toEqual(['asked', 'confirmed', 'lost by the device']),
    );
  });

  it('what a key asked for ends with the key', async () => {
    const [thing, deviceId] = await test.device('keyless');
    const [gone, stays] = [test.key(), test.key()];
    await test.subscribe(gone, deviceId);
    await test.subscribe(stays, deviceId, '/3341/0/5527');
    await test.call(gone, 'PUT', '', [{ 'resource-path': ['/3/0'] }]);
    await test.system.keyGone(gone.keyId, 'inactive');
    await eventually(() => !thing.device.isObserved(temperature));
    expect(thing.device.isObserved('/3341/0/5527')).toBe(true);
    await eventually(async () => expect((await test.call(gone, 'GET', '')).json).toEqual([]));
  });

  it('end with their key also when the database was away at that moment', async () => {
    const thing = test.system.thing(test.proxy, 'gone-later');
    const deviceId = await test.system.register(thing);
    const gone = newKey(test.system.accountId);
    await test.subscribe(gone, deviceId);
    const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const unlock = await test.system.holdRows('LOCK TABLE device_proxy.presubscriptions IN ACCESS EXCLUSIVE MODE');
    await test.system.keyGone(gone.keyId, 'deleted');
    await eventually(async () =>
      expect(await test.system.rows(`SELECT pg_terminate_backend(pid) ${waiting}`)).not.toEqual([]),
    );
    await unlock();
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(false));
  });
});
