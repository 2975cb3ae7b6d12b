import { type Identity, newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RawDevice } from './raw-device.js';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey, type Reply } from './test-system.js';

describe('a command that is sent again', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('repetition');
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

  /** A device that is not there: what is sent to it waits. */
  const absentDevice = async (name: string): Promise<string> => {
    const absent = newId();
    await system.lifecycle(absent, name, 'created');
    const known = (): Promise<Reply> => system.call(proxy, app, 'DELETE', `/v2/subscriptions/${absent}`);
    await eventually(async () => expect((await known()).status).toBe(204));
    return absent;
  };

  const sendTo = (device: string, asyncId: string, body: unknown, key?: string, by = app): Promise<Reply> =>
    system.call(
      proxy,
      by,
      'POST',
      `/v2/device-requests/${device}?async-id=${asyncId}`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );

  const resultsOf = (device: string): Promise<string[]> =>
    eventually(async () => {
      const list = await system.call(proxy, app, 'GET', `/v3/device-requests?device_id=${device}`);
      const ended = list.json.data as { id: string; state: string }[];
      expect(ended.every(({ state }) => state === 'succeeded')).toBe(true);
      return ended.map(({ id }) => id);
    });

  it('to execute is not sent again after a reset of its second copy: the first may have been executed', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'rebooting', '</3/0>');
    let copies = 0;
    device.onRequest = (request) => {
      copies += 1;
      if (copies === 2) device.reset(request);
      if (copies > 2) device.respond(request, '');
    };
    const { value: session } = await system.fact(system.sessions, (v) => v.endpointName === 'rebooting');
    const path = `/v2/device-requests/${session.deviceId}?async-id=reboot&retry=3`;
    await system.call(proxy, app, 'POST', path, { method: 'POST', uri: '/3/0/4' });
    expect((await system.result('reboot')).value).toMatchObject({ outcome: 'failed', item: { status: 504 } });
    device.close();
  });

  it('an async-id can be used again as soon as its command has ended', async () => {
    const write = (text: string): object => ({ method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(text) });
    for (const text of ['on', 'off', 'on']) {
      const reply = await send('light', write(text), '&wait=60');
      expect([reply.status, reply.json]).toMatchObject([200, { id: 'light', status: 200 }]);
    }
    expect(thing.device.received.map(({ payload }) => payload)).toEqual(['on', 'off', 'on']);
    await eventually(() => {
      const results = system.results.filter(({ value }) => value.asyncId === 'light');
      expect(new Set(results.map(({ value }) => value.commandId)).size).toBe(3);
    });
  });

  it('the same request is the same command until that has ended', async () => {
    const absent = await absentDevice('once');
    const body = { method: 'POST', uri: '/3/0/4' };
    expect(await Promise.all([sendTo(absent, 'once', body), sendTo(absent, 'once', body)])).toMatchObject([
      { status: 202 },
      { status: 202 },
    ]);
    const other = system.thing(proxy, 'once');
    await other.device.register();
    expect([(await resultsOf(absent)).length, other.reboots]).toEqual([1, 1]);
  });

  it('another body, device or key is another command, whatever the async-id', async () => {
    const [first, second] = [await absentDevice('same-1'), await absentDevice('same-2')];
    const write = (text: string): object => ({ method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(text) });
    for (const text of ['on', 'off', 'on'])
      expect(await sendTo(first, 'same', write(text))).toMatchObject({ status: 202 });
    expect(await sendTo(second, 'same', write('on'))).toMatchObject({ status: 202 });
    expect(await sendTo(first, 'same', write('on'), undefined, newKey(system.accountId))).toMatchObject({
      status: 202,
    });
    const things = [system.thing(proxy, 'same-1'), system.thing(proxy, 'same-2')];
    for (const { device } of things) await device.register();
    expect([(await resultsOf(first)).length, (await resultsOf(second)).length]).toEqual([3, 1]);
    await eventually(() =>
      expect(things.map(({ device }) => device.received.map(({ payload }) => payload))).toEqual([
        ['on', 'off', 'on', 'on'],
        ['on'],
      ]),
    );
  });

  it('one command of several with an async-id is named by its own id', async () => {
    const absent = await absentDevice('several');
    for (const uri of ['/3/0/0', '/3/0/1']) await sendTo(absent, 'several', { method: 'GET', uri });
    const list = await system.call(proxy, app, 'GET', '/v3/device-requests?async_id=several');
    const [newest, oldest] = list.json.data as { id: string; uri: string }[];
    expect((await system.call(proxy, app, 'GET', '/v3/device-requests/several')).json).toEqual(newest);
    expect(await system.call(proxy, app, 'DELETE', `/v3/device-requests/${newest?.id}`)).toMatchObject({
      status: 204,
    });
    expect(await system.call(proxy, app, 'DELETE', '/v3/device-requests/several')).toMatchObject({ status: 204 });
    expect((await system.call(proxy, app, 'GET', `/v3/device-requests/${oldest?.id}`)).json).toMatchObject({
      uri: '/3/0/0',
      state: 'cancelled',
    });
  });

  describe('with Idempotency-Key', () => {
    const reboot = { method: 'POST', uri: '/3/0/4' };

    it('a request is carried out once, however often it is sent', async () => {
      const before = thing.reboots;
      const key = newId();
      const first = await system.raw(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=a&wait=60`, reboot, {
        'idempotency-key': key,
      });
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
      const again = await system.raw(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=a`, reboot, {
        'idempotency-key': key,
      });
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
      expect(await send('behind', { method: 'GET', uri: '/3/0/0' }, '&wait=60')).toMatchObject({ status: 200 });
      expect(thing.reboots).toBe(before + 1);
    });

    it('a write to /v2/endpoints answers with the async-id that it had', async () => {
      const headers = { 'idempotency-key': newId(), 'content-type': 'text/plain' };
      const write = (text: string): Promise<Reply> =>
        system.call(proxy, app, 'PUT', `/v2/endpoints/${deviceId}/3341/0/5527`, text, headers);
      const first = await write('once');
      expect(first).toMatchObject({ status: 202, json: { 'async-response-id': expect.any(String) } });
      expect(await write('once')).toEqual(first);
      expect(await write('twice')).toMatchObject({ status: 422, text: 'IDEMPOTENCY_KEY_REUSED' });
    });

    it('422 for another request, body, device or async-id; another API key may use the same', async () => {
      const absent = await absentDevice('another');
      const key = newId();
      expect(await sendTo(deviceId, 'b', reboot, key)).toMatchObject({ status: 202 });
      const refused = { status: 422, text: 'IDEMPOTENCY_KEY_REUSED' };
      expect(await sendTo(deviceId, 'b', { ...reboot, 'payload-b64': b64('1') }, key)).toMatchObject(refused);
      expect(await sendTo(deviceId, 'c', reboot, key)).toMatchObject(refused);
      expect(await sendTo(absent, 'b', reboot, key)).toMatchObject(refused);
      expect(await sendTo(deviceId, 'b', reboot, key, newKey(system.accountId))).toMatchObject({ status: 202 });
      const both = [deviceId, absent].map((device) => sendTo(device, 'd', reboot, `${key}-raced`));
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([202, 422]);
    });

    it.each(['', 'a b', 'x'.repeat(256)])('400 for %j', async (key) => {
      expect(await sendTo(deviceId, 'e', reboot, key)).toMatchObject({
        status: 400,
        text: 'MALFORMED_IDEMPOTENCY_KEY',
      });
    });

    it('a key is forgotten after 24 hours', async () => {
      const key = newId();
      const body = { method: 'GET', uri: '/3/0/0' };
      expect(await sendTo(deviceId, 'f', body, key)).toMatchObject({ status: 202 });
      await system.rows(
        `UPDATE device_proxy.idempotency_keys SET stored_at = stored_at - interval '24 hours' WHERE idempotency_key = '${key}'`,
      );
      expect(await sendTo(deviceId, 'g', body, key)).toMatchObject({ status: 202 });
      expect(await sendTo(deviceId, 'f', body, key)).toMatchObject({ status: 422 });
    });
  });
});
