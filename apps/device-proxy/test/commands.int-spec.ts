import { type Identity, newId } from '@lanyard/service';
import { eventually, TestClock, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey, type Reply } from './test-system.js';

describe('POST /v2/device-requests/{device-id}', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('commands');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'worker');
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  beforeEach(() => {
    thing.device.received.length = 0;
    thing.device.beforeAnswer = undefined;
  });
  afterAll(() => system.close());

  const send = (asyncId: string, body: unknown, query = ''): Promise<Reply> =>
    system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}${query}`, body);

  const outcome = async (asyncId: string, body: unknown): Promise<object> => {
    expect(await send(asyncId, body)).toMatchObject({ status: 202, text: '' });
    return (await system.result(asyncId)).value;
  };

  it('202 announces the command, without waiting for the answer of the device', async () => {
    const announced = system.fact(system.commands, (v) => v.asyncId === 'announced');
    thing.device.beforeAnswer = () => announced.then(() => undefined);
    const body = { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64('hi'), 'content-type': 'text/plain' };
    await outcome('announced', body);
    const { value } = await announced;
    expect(value).toMatchObject({
      deviceId,
      keyId: app.keyId,
      method: 'PUT',
      path: '/3341/0/5527',
      payload: b64('hi'),
      kind: 'device-request',
    });
    expect(Date.parse(value.expiresAt) - Date.parse(value.acceptedAt)).toBe(7_200_000);
  });

  it('writes, and says what was to be written', async () => {
    const result = await outcome('write', { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64('world') });
    expect(result).toMatchObject({
      item: { status: 200, payload: '' },
      outcome: 'succeeded',
      written: { payload: b64('world') },
    });
    expect(thing.text).toBe('world');
  });

  it('without a payload, writes the empty value, as both facts say', async () => {
    const result = await outcome('write-empty', { method: 'PUT', uri: '/3341/0/5527' });
    expect([result, thing.text]).toMatchObject([{ item: { status: 200 }, written: { payload: '' } }, '']);
    const { value } = await system.fact(system.commands, (v) => v.asyncId === 'write-empty');
    expect(value).toMatchObject({ payload: '' });
  });

  it('executes with its arguments', async () => {
    const before = thing.reboots;
    expect(await outcome('exec', { method: 'POST', uri: '/3/0/4', 'payload-b64': b64("0='a'") })).toMatchObject({
      item: { status: 200 },
    });
    expect(thing.reboots).toBe(before + 1);
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'POST', path: '/3/0/4', payload: "0='a'" });
  });

  it('sends write attributes untouched and without a payload', async () => {
    expect(await outcome('attr', { method: 'PUT', uri: '/3303/0/5700?pmin=10&gt=25.5&lt' })).not.toHaveProperty(
      'written',
    );
    const [request] = thing.device.received;
    expect(request).toMatchObject({ method: 'PUT', query: ['pmin=10', 'gt=25.5', 'lt'], payload: '' });
    expect(request).not.toHaveProperty('contentFormat');
    for (const [n, query] of ['st=0.5', 'lt=10&gt=25.5&pmax=60'].entries()) {
      await outcome(`attr-${n}`, { method: 'PUT', uri: `/3303/0/5700?${query}` });
      expect(thing.device.received.at(-1)).toMatchObject({ method: 'PUT', query: query.split('&'), payload: '' });
    }
    await outcome('attr-none', { method: 'PUT', uri: '/3303/0/5700?pmin&pmax&st&gt&lt' });
  });

  it('sends those of LwM2M 1.2 too, which Discover answers as the device says', async () => {
    const links = async (id: string): Promise<string> => {
      const ask = { method: 'GET', uri: '/3303/0/5701', accept: 'application/link-format' };
      const { item } = (await outcome(id, ask)) as { item: { payload?: string } };
      return Buffer.from(String(item.payload), 'base64').toString();
    };
    const query = ['edge=1', 'con=1', 'hqmax=10', 'epmin=5', 'epmax=60'];
    await outcome('attr-1-2', { method: 'PUT', uri: `/3303/0/5701?${query.join('&')}` });
    expect(thing.device.received[0]).toMatchObject({ method: 'PUT', query, payload: '' });
    expect(await links('discover-1-2')).toBe(`</3303/0/5701>;${query.join(';')}`);
    await outcome('attr-clear', { method: 'PUT', uri: '/3303/0/5701?edge&con&hqmax&epmin&epmax' });
    expect(await links('discover-none')).toBe('</3303/0/5701>');
  });

  it('creates and deletes instances', async () => {
    const changes: string[] = [];
    thing.device.onInstance = (change, path) => changes.push(`${change} ${path}`);
    const tlv = { 'content-type': 'application/vnd.oma.lwm2m+tlv', 'payload-b64': 'yBcAAA==' };
    await outcome('create', { method: 'POST', uri: '/3303', ...tlv });
    await outcome('delete', { method: 'DELETE', uri: '/3303/0' });
    expect(changes).toEqual(['create /3303', 'delete /3303/0']);
    expect(thing.device.received[0]).toMatchObject({ contentFormat: 11542 });
  });

  it('deletes an instance of a resource, and discovers down to a depth', async () => {
    const changes: string[] = [];
    thing.device.onInstance = (change, path) => changes.push(`${change} ${path}`);
    await outcome('delete-one', { method: 'DELETE', uri: '/3303/0/5700/1' });
    expect(changes).toEqual(['delete /3303/0/5700/1']);
    await outcome('depth', { method: 'GET', uri: '/3303?depth=1', accept: 'application/link-format' });
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'GET', path: '/3303', query: ['depth=1'] });
  });

  it('discovers when links are asked for, by their media type or its number', async () => {
    const discovered = {
      item: { status: 200, ct: 'application/link-format', payload: b64('</3303/0/5700>,</3303/0/5701>') },
    };
    for (const [n, accept] of ['application/link-format', '40'].entries())
      expect(await outcome(`discover-${n}`, { method: 'GET', uri: '/3303/0', accept })).toMatchObject(discovered);
    thing.celsius = 28.5;
    await outcome('behind-discover', { method: 'GET', uri: '/3303/0/5700' });
    await system.fact(system.values, (v) => v.item.payload === b64('28.5'));
    expect(system.values.some(({ value }) => value.item.ct === 'application/link-format')).toBe(false);
  });

  it.each([
    ['a resource the device lacks', { method: 'GET', uri: '/3/0/99' }, 404, 'RESOURCE_NOT_FOUND'],
    ['a read of what can only be executed', { method: 'GET', uri: '/3/0/4' }, 400, 'METHOD_NOT_ALLOWED'],
    [
      'a write of what cannot be written',
      { method: 'PUT', uri: '/3303/0/5700', 'payload-b64': b64('1') },
      400,
      'METHOD_NOT_ALLOWED',
    ],
  ])('%s fails with the code of the device', async (_, body, status, error) => {
    const result = await outcome(`fail-${newId()}`, body);
    expect(result).toMatchObject({ outcome: 'failed', item: { status, error, payload: '' } });
  });

  it('an instance that the device created can be named at once, before it updates its registration', async () => {
    const read = { method: 'GET', uri: '/3303/7/5700' };
    const path = `/v2/device-requests/${deviceId}?async-id=made-${newId()}`;
    thing.device.onInstance = () => undefined;
    expect(await outcome('creates-unnamed', { method: 'POST', uri: '/3303', 'payload-b64': b64('x') })).toMatchObject({
      item: { status: 200 },
    });
    expect((await system.call(proxy, app, 'POST', path, read)).text).toBe('RESOURCE_NOT_FOUND');
    thing.device.createdInstance = 7;
    expect(await outcome('creates', { method: 'POST', uri: '/3303', 'payload-b64': b64('x') })).toMatchObject({
      item: { status: 200 },
    });
    thing.device.resources.set('/3303/7/5700', { read: () => 4 });
    expect(await outcome('reads-created', read)).toMatchObject({ outcome: 'succeeded', item: { payload: b64('4') } });
    expect((await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3303/8/5700' })).status).toBe(400);
  });

  it('one command at a time, first in, first out', async () => {
    let running = 0;
    let most = 0;
    let accepted = 0;
    thing.device.beforeAnswer = async () => {
      most = Math.max(most, ++running);
      // The others are in the queue then, and could overtake.
      await eventually(() => expect(accepted).toBe(6));
      running--;
    };
    const ids = Array.from({ length: 6 }, (_, i) => `fifo-${i}`);
    for (const [i, id] of ids.entries()) {
      await send(id, { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(String(i)) });
      accepted++;
    }
    await Promise.all(ids.map((id) => system.result(id)));
    expect([most, thing.device.received.map((r) => r.payload)]).toEqual([1, ['0', '1', '2', '3', '4', '5']]);
  });

  it.each([
    ['no async-id', '', { method: 'GET', uri: '/3/0/0' }, 'MALFORMED_ASYNC_ID'],
    [
      'an async-id that is too long',
      `?async-id=${'x'.repeat(41)}`,
      { method: 'GET', uri: '/3/0/0' },
      'MALFORMED_ASYNC_ID',
    ],
    ['a body that is not JSON', '?async-id=a', '{', 'MALFORMED_JSON_CONTENT'],
    ['no body', '?async-id=a', undefined, 'MALFORMED_JSON_CONTENT'],
    ['an unknown method', '?async-id=a', { method: 'PATCH', uri: '/3/0/0' }, 'BAD_REQUEST'],
    ['no method', '?async-id=a', { uri: '/3/0/0' }, 'MALFORMED_JSON_CONTENT'],
    ['an object the device has not registered', '?async-id=a', { method: 'GET', uri: '/9/0/1' }, 'RESOURCE_NOT_FOUND'],
    ['an instance it has not registered', '?async-id=a', { method: 'GET', uri: '/3303/9/5700' }, 'RESOURCE_NOT_FOUND'],
    ['a path of words', '?async-id=a', { method: 'GET', uri: '/a/b' }, 'RESOURCE_NOT_FOUND'],
    ['too many retries', '?async-id=a&retry=11', { method: 'GET', uri: '/3/0/0' }, 'BAD_REQUEST'],
  ])('400 for %s', async (_, query, body, token) => {
    const reply = await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}${query}`, body);
    expect([reply.status, reply.text]).toEqual([400, token]);
  });

  it('404 for an unknown device, and for one of another account', async () => {
    const path = `/v2/device-requests/${newId()}?async-id=a`;
    expect(await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).toMatchObject({
      status: 404,
      text: 'DEVICE_NOT_FOUND',
    });
    const foreigner = newKey(newId());
    const foreign = await system.call(proxy, foreigner, 'POST', `/v2/device-requests/${deviceId}?async-id=a`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect(foreign).toMatchObject({ status: 404, text: 'DEVICE_NOT_FOUND' });
  });

  it('a thousand commands wait for a device, in order; one more is 400 QUEUE_IS_FULL', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'absent', 'created');
    const body = { method: 'GET', uri: '/3/0/0' };
    const to = (i: number): Promise<Reply> =>
      system.call(proxy, app, 'POST', `/v2/device-requests/${absent}?async-id=full-${i}`, body);
    await eventually(async () => expect((await to(0)).status).toBe(202));
    for (let i = 1; i < 1_000; i++) await to(i);
    expect(await to(1_000)).toMatchObject({ status: 400, text: 'QUEUE_IS_FULL' });
    const subscriptions = `/v2/subscriptions/${absent}`;
    const subscribed = await system.call(proxy, app, 'PUT', `${subscriptions}/3/0/0`);
    expect(subscribed).toMatchObject({ status: 429, text: 'QUEUE_IS_FULL' });
    expect((await system.call(proxy, app, 'GET', subscriptions)).status).toBe(404);
    expect(await to(0)).toMatchObject({ status: 202 });
    await system.thing(proxy, 'absent').device.register();
    await system.result('full-999');
    const order = system.results.filter(({ value }) => value.deviceId === absent).map(({ value }) => value.asyncId);
    expect(order).toEqual(Array.from({ length: 1_000 }, (_, i) => `full-${i}`));
  });

  it('what waits for a device is bounded in bytes too', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'absent-2', 'created');
    const path = `/v2/endpoints/${absent}/3341/0/5527`;
    const put = (value: Buffer | string): Promise<Reply> => system.call(proxy, app, 'PUT', path, value);
    const largest = Buffer.alloc(1_048_576);
    await eventually(async () => expect((await put(largest)).status).toBe(202));
    for (let i = 1; i < 16; i++) expect((await put(largest)).status).toBe(202);
    expect(await put('one more')).toMatchObject({ status: 429, text: 'QUEUE_IS_FULL' });
    expect(await system.call(proxy, app, 'GET', path)).toMatchObject({ status: 202 });
  });

  it('a waiting command can be cancelled, any other cannot', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'cancelled', 'created');
    const body = { method: 'POST', uri: '/3/0/4' };
    await eventually(async () =>
      expect(
        (await system.call(proxy, app, 'POST', `/v2/device-requests/${absent}?async-id=regretted`, body)).status,
      ).toBe(202),
    );
    const own = '/v3/device-requests/regretted';
    expect(await system.call(proxy, newKey(system.accountId), 'DELETE', own)).toMatchObject({ status: 404 });
    expect(await system.call(proxy, app, 'DELETE', own)).toMatchObject({ status: 204, text: '' });
    expect((await system.result('regretted')).value).toMatchObject({
      outcome: 'failed',
      item: { status: 429, error: 'REQUEST_CANCELLED' },
    });
    expect((await system.call(proxy, app, 'GET', own)).json).toMatchObject({
      state: 'cancelled',
      attempts: 0,
      attempted_at: null,
    });
    expect(await system.call(proxy, app, 'DELETE', own)).toMatchObject({ status: 409 });
    const other = system.thing(proxy, 'cancelled');
    await other.device.register();
    await system.call(proxy, app, 'POST', `/v2/device-requests/${absent}?async-id=kept&wait=60`, body);
    expect(other.reboots).toBe(1);
  });

  it('?wait answers with the result, or with 202 when the device is slower', async () => {
    const body = { method: 'GET', uri: '/3/0/0' };
    const quick = await send('waited', body, '&wait=60');
    expect([quick.status, quick.json]).toMatchObject([
      200,
      { id: 'waited', status: 200, payload: b64('Lanyard'), ct: 'text/plain' },
    ]);
    expect((await system.result('waited')).value.item).toEqual(quick.json);
    expect(await send('waited-2', { method: 'GET', uri: '/3/0/99' }, '&wait=60')).toMatchObject({
      status: 200,
      json: { status: 404, error: 'RESOURCE_NOT_FOUND', payload: '' },
    });
    let answer = (): void => undefined;
    thing.device.beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    expect(await send('slow', body, '&wait=1')).toMatchObject({ status: 202, text: '' });
    answer();
    thing.device.beforeAnswer = undefined;
    expect((await system.result('slow')).value.item.status).toBe(200);
    for (const wait of ['0', '61', 'x'])
      expect(await send('waited-3', body, `&wait=${wait}`)).toMatchObject({ status: 400 });
  });

  it('the history shows the own commands', async () => {
    await outcome('history', { method: 'GET', uri: '/3/0/0' });
    const one = await system.call(proxy, app, 'GET', '/v3/device-requests/history');
    expect(one).toMatchObject({
      status: 200,
      json: {
        async_id: 'history',
        device_id: deviceId,
        state: 'succeeded',
        status: 200,
        payload: b64('Lanyard'),
        uri: '/3/0/0',
      },
    });
    const list = await system.call(
      proxy,
      app,
      'GET',
      `/v3/device-requests?device_id=${deviceId}&state=succeeded&limit=2&include=total_count`,
    );
    expect(list.json).toMatchObject({ object: 'list', limit: 2, has_more: true, order: 'DESC' });
    const data = list.json.data as { async_id: string; id: string }[];
    expect(data[0]?.async_id).toBe('history');
    const next = await system.call(proxy, app, 'GET', `/v3/device-requests?limit=2&after=${data[1]?.id}`);
    expect((next.json.data as unknown[]).length).toBe(2);
    expect(await system.call(proxy, newKey(system.accountId), 'GET', '/v3/device-requests/history')).toMatchObject({
      status: 404,
    });
    expect(await system.call(proxy, app, 'GET', '/v3/device-requests?colour=red')).toMatchObject({
      status: 400,
      json: { type: 'validation_error' },
    });
  });

  it('a replica that stops lets go of those who wait', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'absent-3', 'created');
    // On its clock, the time for which a caller waits never ends.
    const second = await system.proxy('dp-1', { clock: new TestClock(Date.now()) });
    const path = `/v2/device-requests/${absent}?async-id=`;
    const body = { method: 'GET', uri: '/3/0/0' };
    const known = async (): Promise<void> =>
      expect((await system.call(second, app, 'POST', `${path}known`, body)).status).toBe(202);
    await eventually(known);
    const waiting = system.call(second, app, 'POST', `${path}let-go&wait=60`, body);
    await system.fact(system.commands, (v) => v.asyncId === 'let-go');
    await system.stop(second);
    expect(await waiting).toMatchObject({ status: 202, text: '' });
  });

  it('a device that leaves keeps its commands until it is back', async () => {
    const other = system.thing(proxy, 'commuter');
    const id = await system.register(other);
    await system.lifecycle(id, 'commuter', 'created');
    await other.device.deregister();
    const path = `/v2/device-requests/${id}?async-id=waits`;
    await eventually(async () =>
      expect((await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(202),
    );
    await other.device.register();
    expect((await system.result('waits')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('a device that is deleted fails its commands', async () => {
    const id = newId();
    await system.lifecycle(id, 'doomed', 'created');
    const path = `/v2/device-requests/${id}?async-id=doomed`;
    await eventually(async () =>
      expect((await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(202),
    );
    await system.lifecycle(id, 'doomed', 'deleted');
    expect((await system.result('doomed')).value).toMatchObject({
      outcome: 'failed',
      item: { status: 429, error: 'DEVICE_REMOVED_REGISTRATION' },
    });
  });

  it('a suspended device loses its session though it answers nothing, and its commands fail', async () => {
    const other = system.thing(proxy, 'suspect');
    const id = await system.register(other);
    await system.lifecycle(id, 'suspect', 'created');
    let answer = (): void => undefined;
    other.device.beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    const path = `/v2/device-requests/${id}?async-id=`;
    await system.call(proxy, app, 'POST', `${path}blocked-1`, { method: 'GET', uri: '/3/0/0' });
    await system.lifecycle(id, 'suspect', 'suspended');
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === id && v.change === 'deregistered');
    expect(value.reason).toBe('suspended');
    expect((await system.result('blocked-1')).value.item).toMatchObject({ status: 429, error: 'DEVICE_BLOCKED' });
    answer();
    delete other.device.beforeAnswer;
    const again = await system.call(proxy, app, 'POST', `${path}blocked-2`, { method: 'GET', uri: '/3/0/0' });
    expect(again).toMatchObject({ status: 202, text: '' });
    expect((await system.result('blocked-2')).value.item).toMatchObject({ status: 429, error: 'DEVICE_BLOCKED' });
    await expect(other.device.register()).rejects.toThrow('4.03');
    await system.lifecycle(id, 'suspect', 'resumed');
    await eventually(() => other.device.register());
  });

  it('a command that has not ended after an hour needs attention', async () => {
    const other = system.thing(proxy, 'silent');
    const id = await system.register(other);
    await other.device.deregister();
    const uri = '/3/0/1';
    await system.call(proxy, app, 'POST', `/v2/device-requests/${id}?async-id=stuck-1`, { method: 'GET', uri });
    const list = async (): Promise<unknown> =>
      (await system.call(proxy, app, 'GET', '/v3/attention/stuck-commands?include=total_count')).json;
    expect(await list()).toMatchObject({ object: 'list', data: [], total_count: 0 });
    await system.rows(
      `UPDATE device_proxy.commands SET accepted_at = now() - interval '61 minutes' WHERE async_id = 'stuck-1'`,
    );
    expect(await list()).toMatchObject({
      total_count: 1,
      data: [
        {
          kind: 'stuck-commands',
          device_id: id,
          key_id: app.keyId,
          text: expect.stringMatching(/^GET \/3\/0\/1 has not been sent: .* It expires at .*Z\.$/),
        },
      ],
    });
    const foreign = newKey('f'.repeat(32));
    expect((await system.call(proxy, foreign, 'GET', '/v3/attention/stuck-commands')).json).toMatchObject({ data: [] });
  });
});
