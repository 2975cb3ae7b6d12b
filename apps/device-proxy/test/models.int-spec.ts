import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey, type Reply } from './test-system.js';

const definition = (object: number, type: string, version?: string): string => `<?xml version="1.0"?>
  <LWM2M><Object ObjectType="MODefinition"><Name>Vendor ${object}</Name><ObjectID>${object}</ObjectID>
  ${version === undefined ? '' : `<ObjectVersion>${version}</ObjectVersion>`}
  <Resources><Item ID="1"><Name>Thing</Name><Operations>RW</Operations><MultipleInstances>Single</MultipleInstances>
  <Mandatory>Optional</Mandatory><Type>${type}</Type></Item></Resources></Object></LWM2M>`;

describe('/v3/object-models', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let other: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('models');
    proxy = await system.proxy('dp-0');
    other = await system.proxy('dp-1');
  });
  afterAll(() => system.close());

  const key = newKey(newId());
  const call = (method: string, path = '', body?: string): Promise<Reply> =>
    system.call(proxy, key, method, `/v3/object-models${path}`, body, { 'content-type': 'application/xml' });

  it('takes, lists, shows and deletes definitions', async () => {
    const created = await call('POST', '', definition(33_000, 'Float'));
    expect([created.status, created.json]).toMatchObject([
      201,
      {
        object: 'object-model',
        object_id: 33_000,
        name: 'Vendor 33000',
        version: '1.0',
        resources: [{ id: 1, name: 'Thing', type: 'float', operations: 'RW', multiple: false }],
      },
    ]);
    const path = `/${String(created.json.id)}`;
    expect((await call('GET', path)).json).toEqual(created.json);
    await call('POST', '', definition(33_001, 'String'));
    await call('POST', '', definition(33_002, 'String'));
    const page = await call('GET', '?limit=2&include=total_count');
    expect(page.json).toMatchObject({ object: 'list', has_more: true, total_count: 3, data: [created.json, {}] });
    const [, last] = page.json.data as { id: string }[];
    expect((await call('GET', `?after=${last?.id}`)).json.data).toMatchObject([{ object_id: 33_002 }]);
    expect((await call('GET', '?object_id=33001')).json.data).toMatchObject([{ name: 'Vendor 33001' }]);
    const stranger = await system.call(proxy, newKey(newId()), 'GET', `/v3/object-models${path}`);
    expect(stranger.status).toBe(404);
    expect(await call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await call('DELETE', path)).toMatchObject({ status: 404 });
    expect(await call('POST', '', definition(33_000, 'Integer'))).toMatchObject({ status: 201 });
  });

  it('large definitions are on several pages', async () => {
    const app = newKey(newId());
    const ask = (method: string, path: string, body?: string): Promise<Reply> =>
      system.call(proxy, app, method, `/v3/object-models${path}`, body, { 'content-type': 'application/xml' });
    for (const object of [33_060, 33_061, 33_062]) await ask('POST', '', definition(object, 'Float'));
    await proxy.app.get(DataSource, { strict: false }).query(
      `UPDATE object_models SET resources = jsonb_set(resources, '{0,name}', to_jsonb(repeat('x', 2000000)))
       WHERE account_id = $1`,
      [app.accountId],
    );
    const { json } = await ask('GET', '?limit=1000');
    expect(json).toMatchObject({ data: [{ object_id: 33_060 }, { object_id: 33_061 }], has_more: true });
    const [, last] = json.data as { id: string }[];
    const rest = await ask('GET', `?limit=1000&after=${last?.id}`);
    expect(rest.json).toMatchObject({ data: [{ object_id: 33_062 }], has_more: false });
  });

  it('every change is told to the event log once, with its actor', async () => {
    const app = newKey(newId());
    const ask = (method: string, path: string, body?: string): Promise<Reply> =>
      system.call(proxy, app, method, `/v3/object-models${path}`, body, { 'x-request-id': 'asked-by-test' });
    const { id } = (await ask('POST', '', definition(33_050, 'Float'))).json;
    expect((await ask('POST', '', definition(33_050, 'Float'))).status).toBe(409);
    for (const status of [204, 404]) expect((await ask('DELETE', `/${String(id)}`)).status).toBe(status);
    await eventually(() =>
      expect(system.events.map(({ value }) => value).filter((v) => v.accountId === app.accountId)).toMatchObject([
        {
          eventCode: 'SYS_571',
          description: 'Object model created: Vendor 33050',
          data: {
            target: 'object-model',
            target_id: id,
            object_id: '33050',
            actor_key_id: app.keyId,
            actor_account_id: app.accountId,
            request_id: 'asked-by-test',
          },
        },
        { eventCode: 'SYS_572', data: { target_id: id, object_id: '33050', actor_key_id: app.keyId } },
      ]),
    );
  });

  it.each([
    ['nothing', undefined, 400],
    ['JSON', '{}', 400],
    ['an unknown type', definition(33_100, 'Complex'), 400],
    ['a core object', definition(3, 'String'), 400],
    ['an object that is defined', definition(33_001, 'Float'), 409],
    ['what is too long', definition(33_100, 'Float').padEnd(300_000), 400],
    ['a NUL in a name', definition(33_100, 'Float').replace('Thing', 'a\0'), 400],
    ['half of a surrogate pair in a name', definition(33_100, 'Float').replace('Thing', 'a&#xD800;'), 400],
  ])('refuses %s', async (_, body, status) => {
    expect((await call('POST', '', body)).status).toBe(status);
  });

  it('values are typed by the definitions of their account, on every replica', async () => {
    const app = newKey(system.accountId);
    const opaque = definition(33_200, 'Opaque');
    const thing = system.thing(other, 'vendor', { links: '</33200/0>' });
    const deviceId = await system.register(thing);
    thing.device.resources.set('/33200/0/1', { write: () => undefined });
    const formatOf = async (): Promise<number | undefined> => {
      await system.call(other, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${newId()}&wait=60`, {
        method: 'PUT',
        uri: '/33200/0/1',
        'payload-b64': 'AQI=',
      });
      return thing.device.received.at(-1)?.contentFormat;
    };
    expect(await formatOf()).toBe(0);
    const { json } = await system.call(proxy, app, 'POST', '/v3/object-models', opaque);
    await eventually(async () => expect(await formatOf()).toBe(42));
    await system.call(proxy, app, 'DELETE', `/v3/object-models/${String(json.id)}`);
    await eventually(async () => expect(await formatOf()).toBe(0));
  });

  it('keeps several versions of an object; each is listed and deleted by itself', async () => {
    const app = newKey(newId());
    const ask = (method: string, path = '', body?: string): Promise<Reply> =>
      system.call(proxy, app, method, `/v3/object-models${path}`, body, { 'content-type': 'application/xml' });
    const first = await ask('POST', '', definition(33_300, 'Float'));
    const second = await ask('POST', '', definition(33_300, 'Opaque', '1.1'));
    expect([first.status, second.status, second.json.version]).toEqual([201, 201, '1.1']);
    const again = await ask('POST', '', definition(33_300, 'Float', '1.1'));
    expect([again.status, again.json.message]).toEqual([409, expect.stringContaining('Version 1.1 of object 33300')]);
    expect((await ask('GET', '?object_id=33300')).json.data).toMatchObject([{ version: '1.0' }, { version: '1.1' }]);
    expect((await ask('GET', '?object_id=33300&version=1.1')).json.data).toEqual([second.json]);
    expect((await ask('DELETE', `/${String(second.json.id)}`)).status).toBe(204);
    expect((await ask('GET', '?object_id=33300')).json.data).toEqual([first.json]);
  });

  it('a device is read by the version that it registers', async () => {
    const app = newKey(system.accountId);
    const upload = (type: string, version?: string): Promise<Reply> =>
      system.call(proxy, app, 'POST', '/v3/object-models', definition(33_400, type, version));
    const devices = await Promise.all(
      [
        ['first', '</33400>,</33400/0>'],
        ['second', '</33400>;ver="1.1",</33400/0>'],
        ['third', '</33400>;ver=1.2,</33400/0>'],
      ].map(async ([name = '', links]) => {
        const thing = system.thing(other, `versions-${name}`, { links });
        thing.device.resources.set('/33400/0/1', { write: () => undefined });
        return { thing, deviceId: await system.register(thing) };
      }),
    );
    const formats = (): Promise<(number | undefined)[]> =>
      Promise.all(
        devices.map(async ({ thing, deviceId }) => {
          await system.call(other, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${newId()}&wait=60`, {
            method: 'PUT',
            uri: '/33400/0/1',
            'payload-b64': 'AQI=',
          });
          return thing.device.received.at(-1)?.contentFormat;
        }),
      );
    expect((await upload('Float')).status).toBe(201);
    const { json } = await upload('Opaque', '1.1');
    await eventually(async () => expect(await formats()).toEqual([0, 42, 42]));
    const told = await system.fact(system.sessions, (v) => v.endpointName === 'versions-second');
    expect(told.value.objectVersions).toEqual({ 33_400: '1.1' });
    await system.call(proxy, app, 'DELETE', `/v3/object-models/${String(json.id)}`);
    await eventually(async () => expect(await formats()).toEqual([0, 0, 0]));
  });
});
