import type { CoapMessage } from '@lanyard/coap';
import type { Identity } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Sessions } from '../src/sessions/sessions.js';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey, type Reply } from './test-system.js';
import { RawDevice } from './raw-device.js';

const temperature = '/3303/0/5700';

describe('a subscription to a path that is observed for another key', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  const devices: RawDevice[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('answers-first');
    proxy = await system.proxy('dp-0');
  });
  afterAll(async () => {
    for (const device of devices) device.close();
    await system.close();
  });

  const key = (): Identity => newKey(system.accountId);
  const call = (app: Identity, method: string, path: string): Promise<Reply> =>
    system.call(proxy, app, method, `/v2/subscriptions${path}`);

  it('the answer goes with a notification that comes before the path is read for who comes later', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'overtaken', '</3303/0>');
    devices.push(device);
    const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'overtaken')).value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
    const [one, two] = [key(), key()];
    await system.subscribe(proxy, one, deviceId, temperature);
    const [{ token }] = device.requests() as [CoapMessage];
    const read = new Promise<CoapMessage>((resolve) => (device.onRequest = resolve));
    const asked = call(two, 'PUT', `/${deviceId}${temperature}`);
    const request = await read;
    for (const [number, payload] of [
      [2, '21'],
      [3, '22'],
    ] as const)
      expect(await device.told(token, { number, messageId: 100 + number, payload, format: 0 })).toBe('ACK');
    device.respond(request, '20');
    const id = String((await asked).json['async-response-id']);
    const item = { id, status: 200, payload: b64('21') };
    expect((await system.result(id)).value).toMatchObject({ answeredWithValue: true, item });
    expect(await device.told(token, { number: 4, messageId: 104, payload: '24', format: 0 })).toBe('ACK');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64('24'));
    const told = system.values.filter(({ value }) => value.deviceId === deviceId);
    expect(
      told.map(({ value }) => [value.item.payload, value.audience.toSorted(), value.answer?.keyId, value.answer?.item]),
    ).toEqual([
      [b64('20'), [one.keyId], one.keyId, expect.objectContaining({ payload: b64('20') })],
      [b64('21'), [one.keyId, two.keyId].toSorted(), two.keyId, expect.objectContaining(item)],
      ...['22', '24'].map((value) => [b64(value), [one.keyId, two.keyId].toSorted(), undefined, undefined]),
    ]);
  });

  it('no value goes ahead of an answer that a command before it in the queue holds up', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'held-up', '</3303/0>');
    devices.push(device);
    const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'held-up')).value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
    const [one, two] = [key(), key()];
    await system.subscribe(proxy, one, deviceId, temperature);
    const [{ token }] = device.requests() as [CoapMessage];
    const held = new Promise<CoapMessage>((resolve) => (device.onRequest = resolve));
    const command = { method: 'GET', uri: '/3303/0/5701' };
    await system.call(proxy, one, 'POST', `/v2/device-requests/${deviceId}?async-id=held`, command);
    const request = await held;
    const asked = call(two, 'PUT', `/${deviceId}${temperature}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.keyId === two.keyId);
    expect(await device.told(token, { number: 2, messageId: 102, payload: '21', format: 0 })).toBe('ACK');
    device.onRequest = (next) => device.respond(next, '21');
    device.respond(request, 'Cel');
    const id = String((await asked).json['async-response-id']);
    expect((await system.result(id)).value).toMatchObject({ answeredWithValue: true });
    const first = await system.fact(system.values, (v) => v.deviceId === deviceId && v.audience.includes(two.keyId));
    expect(first.value.answer).toMatchObject({ keyId: two.keyId, item: { id, payload: b64('21') } });
  });

  it('the device is asked when it has ended that observation before the command is carried out', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'ending', '</3303/0>');
    devices.push(device);
    const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'ending')).value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
    const [one, two] = [key(), key()];
    await system.subscribe(proxy, one, deviceId, temperature);
    const [{ token }] = device.requests() as [CoapMessage];
    const held = new Promise<CoapMessage>((resolve) => (device.onRequest = resolve));
    const command = { method: 'GET', uri: '/3303/0/5701' };
    await system.call(proxy, one, 'POST', `/v2/device-requests/${deviceId}?async-id=before`, command);
    const request = await held;
    const asked = call(two, 'PUT', `/${deviceId}${temperature}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.keyId === two.keyId);
    device.reportLast(token, 102, '21');
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'lost');
    device.respond(request, 'Cel');
    const id = String((await asked).json['async-response-id']);
    expect((await system.result(id)).value.item).toMatchObject({ status: 200, payload: b64('20') });
    const states = system.subscriptions.filter(({ value }) => value.deviceId === deviceId && value.status === 'lost');
    expect(states.map(({ value }) => value.keyId)).toEqual([one.keyId]);
  });

  it('the first value that the device reports for a rule does not go ahead of the answer', async () => {
    const [one, two] = [key(), key()];
    const rules = [{ 'endpoint-name': 'ruled', 'resource-path': [temperature] }];
    await system.call(proxy, one, 'PUT', '/v2/subscriptions', rules);
    const device = await RawDevice.registered(proxy.coapPort, 'ruled', '</3303/0>');
    devices.push(device);
    const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'ruled')).value;
    const request = await eventually(() => {
      const [first] = device.requests();
      if (!first) throw new Error('the path is not observed for the rule');
      return first;
    });
    const asked = call(two, 'PUT', `/${deviceId}${temperature}`);
    const sessions = proxy.app.get(Sessions, { strict: false });
    await eventually(() => expect(sessions.get(deviceId)?.pendingSubscriber?.keyId).toBe(two.keyId));
    device.onObserve = (next) => {
      const isFirst = next.messageId === request.messageId;
      device.answer(next, { number: isFirst ? 1 : 2, payload: isFirst ? '20' : '21', format: 0 });
    };
    device.onObserve(request);
    const id = String((await asked).json['async-response-id']);
    expect((await system.result(id)).value.item).toMatchObject({ status: 200, payload: b64('21') });
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64('21'));
    const told = system.values.filter(({ value }) => value.deviceId === deviceId);
    expect(told.map(({ value }) => [value.item.payload, value.audience.toSorted(), value.answer?.keyId])).toEqual([
      [b64('20'), [one.keyId], undefined],
      [b64('21'), [one.keyId, two.keyId].toSorted(), two.keyId],
    ]);
  });

  it('a value of that observation is no answer to who wants the path together with another one', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'together', '</3303/0>');
    devices.push(device);
    const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'together')).value;
    device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
    const [one, two] = [key(), key()];
    await system.subscribe(proxy, one, deviceId, temperature);
    const [{ token }] = device.requests() as [CoapMessage];
    const asked = new Promise<CoapMessage>((resolve) => (device.onObserve = resolve));
    const names = b64(JSON.stringify([{ n: temperature }, { n: '/3303/0/5701' }]));
    const command = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': names };
    await system.call(proxy, two, 'POST', `/v2/device-requests/${deviceId}?async-id=together`, command);
    const request = await asked;
    expect(await device.told(token, { number: 2, messageId: 102, payload: '21', format: 0 })).toBe('ACK');
    // It answers, but does not observe.
    device.respond(request, JSON.stringify([{ n: temperature, v: 22 }]));
    expect((await system.result('together')).value.item).toMatchObject({ status: 412, error: 'NOT_OBSERVABLE' });
    const { value } = await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64('21'));
    expect([value.audience, value.answer]).toEqual([[one.keyId], undefined]);
  });
});
