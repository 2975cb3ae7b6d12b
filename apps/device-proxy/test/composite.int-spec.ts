import type { Identity } from '@lanyard/service';
import type { Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawDevice } from './raw-device.js';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey, type Reply } from './test-system.js';

const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('several paths in one command', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('composite');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'composite');
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  afterAll(() => system.close());

  const send = (asyncId: string, body: object, to = deviceId): Promise<Reply> =>
    system.call(proxy, app, 'POST', `/v2/device-requests/${to}?async-id=${asyncId}&wait=60`, body);

  it('are read, and each is recorded for its own path', async () => {
    const names = [{ n: '/3/0/0' }, { n: '/3303/0' }];
    const reply = await send('read', { method: 'FETCH', uri: '/', 'payload-b64': b64(names) });
    expect(reply.json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    const records: unknown = JSON.parse(Buffer.from(String(reply.json.payload), 'base64').toString());
    expect(records).toContainEqual({ n: '/3303/0/5700', v: 21.5 });
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'FETCH', path: '/', contentFormat: 110 });
    const { value } = await system.fact(system.values, (v) => v.item.path === '/3303/0/5700');
    expect(value).toMatchObject({ cause: 'read', item: { payload: Buffer.from('21.5').toString('base64') } });
    await system.fact(system.values, (v) => v.item.path === '/3/0/0');
  });

  it('are read in the format that was asked for where the device does not name it', async () => {
    const raw = await RawDevice.registered(proxy.coapPort, 'formatless', '</3303/0>');
    raw.onRequest = (request) => raw.respond(request, '[{"n":"/3303/0/5700","v":19.5}]');
    const { value: session } = await system.fact(system.sessions, (v) => v.endpointName === 'formatless');
    const body = { method: 'FETCH', uri: '/', 'payload-b64': b64([{ n: '/3303/0/5700' }]) };
    const reply = await send('formatless', body, session.deviceId);
    raw.close();
    expect(reply.json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    const { value } = await system.fact(system.values, (v) => v.deviceId === session.deviceId);
    const payload = Buffer.from('19.5').toString('base64');
    expect(value).toMatchObject({ cause: 'read', item: { path: '/3303/0/5700', ct: 'text/plain', payload } });
  });

  it('are written, and the result says what was to be written', async () => {
    const values = b64([{ n: '/3341/0/5527', vs: 'together' }]);
    const body = { method: 'IPATCH', uri: '/', 'content-type': 'application/senml+json', 'payload-b64': values };
    expect((await send('write', body)).json).toMatchObject({ status: 200, payload: '' });
    expect(thing.text).toBe('together');
    expect((await system.result('write')).value).toMatchObject({
      method: 'IPATCH',
      path: '/',
      written: { payload: values },
    });
  });

  it('are written in a format that the sender names by its number; both facts have the media type', async () => {
    const values = b64([{ n: '/3341/0/5527', vs: 'by number' }]);
    const body = { method: 'IPATCH', uri: '/', 'content-type': '110', 'payload-b64': values };
    expect((await send('by-number', body)).json).toMatchObject({ status: 200, payload: '' });
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'IPATCH', contentFormat: 110 });
    const contentType = 'application/senml+json';
    const { value: accepted } = await system.fact(system.commands, (v) => v.asyncId === 'by-number');
    expect(accepted).toMatchObject({ payload: values, contentType });
    expect((await system.result('by-number')).value).toMatchObject({ written: { payload: values, contentType } });
  });

  it.each([
    ['JSON', 320, 110, b64([{ n: '/3/0/0' }])],
    ['CBOR', 322, 112, Buffer.from('81a100662f332f302f30', 'hex').toString('base64')],
  ])('are read as SenML-ETCH %s names them, and answered in SenML', async (kind, list, answer, names) => {
    const modern = system.thing(proxy, `etch-${kind}`, { lwm2mVersion: '1.2', formats: [0, answer, list] });
    const id = await system.register(modern);
    const type = kind.toLowerCase();
    const body = { method: 'FETCH', uri: '/', 'content-type': `application/senml-etch+${type}`, 'payload-b64': names };
    expect((await send(`etch-${kind}`, body, id)).json).toMatchObject({ status: 200, ct: `application/senml+${type}` });
    expect(modern.device.received.at(-1)).toMatchObject({ method: 'FETCH', path: '/', contentFormat: list });
    const { value } = await system.fact(system.values, (v) => v.deviceId === id && v.item.path === '/3/0/0');
    expect(value).toMatchObject({ cause: 'read', item: { payload: Buffer.from('Lanyard').toString('base64') } });
  });

  it('are written in SenML-ETCH, and null removes an instance of a resource', async () => {
    const modern = system.thing(proxy, 'etch-write', { lwm2mVersion: '1.2', formats: [0, 110, 320] });
    const id = await system.register(modern);
    const values = b64([
      { n: '/3341/0/5527', vs: 'patched' },
      { n: '/3/0/6/1', v: null },
    ]);
    const body = { method: 'IPATCH', uri: '/', 'content-type': 'application/senml-etch+json', 'payload-b64': values };
    expect((await send('etch-write', body, id)).json).toMatchObject({ status: 200 });
    expect(modern.device.received.at(-1)).toMatchObject({
      method: 'IPATCH',
      contentFormat: 320,
      payload: Buffer.from(values, 'base64').toString(),
    });
    expect(modern.text).toBe('patched');
  });

  it('a device of LwM2M 1.0 is not asked', async () => {
    const old = system.thing(proxy, 'old', { lwm2mVersion: '1.0' });
    const id = await system.register(old);
    const reply = await send('old', { method: 'FETCH', uri: '/', 'payload-b64': b64([{ n: '/3/0' }]) }, id);
    expect(reply.json).toMatchObject({ status: 400, error: 'NOT_OFFERED' });
    expect(old.device.received).toHaveLength(0);
  });

  it.each([
    ['another uri', { uri: '/3/0', 'payload-b64': b64([{ n: '/3/0' }]) }],
    ['no payload', { uri: '/' }],
    ['no list', { uri: '/', 'payload-b64': b64({ n: '/3/0' }) }],
    ['an empty list', { uri: '/', 'payload-b64': b64([]) }],
    ['words for paths', { uri: '/', 'payload-b64': b64([{ n: '/a/b' }]) }],
    ['null in SenML', { method: 'IPATCH', uri: '/', 'payload-b64': b64([{ n: '/3/0/6/1', v: null }]) }],
    [
      'a list of paths in LwM2M CBOR',
      {
        uri: '/',
        'content-type': 'application/vnd.oma.lwm2m+cbor',
        'payload-b64': Buffer.from([0xa0]).toString('base64'),
      },
    ],
    ['another format', { uri: '/', 'content-type': 'text/plain', 'payload-b64': b64([{ n: '/3/0' }]) }],
  ])('400 for %s', async (_, body) => {
    expect(await send('bad', { method: 'FETCH', ...body })).toMatchObject({
      status: 400,
      text: 'BAD_REQUEST',
    });
  });
});
