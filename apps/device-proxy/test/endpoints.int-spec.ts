import { type Identity, newId } from '@lanyard/service';
import { eventually, TestClock, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey } from './test-system.js';

describe('/v2/endpoints', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('endpoints');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'endpoint', { parameters: { et: 'meter' } });
    deviceId = await system.register(thing);
    await system.register(system.thing(proxy, 'other-type'));
    app = newKey(system.accountId);
  });
  afterAll(() => system.close());

  it('lists the registered devices, by type', async () => {
    const all = await system.call(proxy, app, 'GET', '/v2/endpoints');
    expect(all.json).toHaveLength(2);
    const meters = await system.call(proxy, app, 'GET', '/v2/endpoints?type=meter');
    expect(meters.json).toEqual([{ name: deviceId, type: 'meter', status: 'ACTIVE', q: false }]);
    const both = await system.call(proxy, app, 'GET', '/v2/endpoints?type=meter&type=other');
    expect([both.status, both.text]).toEqual([400, 'BAD_REQUEST']);
  });

  it('shows the resources of a session, 404 without one', async () => {
    const reply = await system.call(proxy, app, 'GET', `/v2/endpoints/${deviceId}`);
    expect(reply.json).toContainEqual({ uri: '/3303/0', obs: true });
    const links = '</3200/0/5501>;rt="counter";if="sensor";ct=0;obs,</3200/0/5505>';
    const listed = await system.register(system.thing(proxy, 'listed', { links, queueMode: true }));
    expect((await system.call(proxy, app, 'GET', `/v2/endpoints/${listed}`)).json).toEqual([
      { uri: '/3200/0/5501', rt: 'counter', type: 'text/plain', obs: true },
      { uri: '/3200/0/5505', obs: false },
    ]);
    const all = await system.call(proxy, app, 'GET', '/v2/endpoints');
    expect(all.json).toContainEqual({ name: listed, status: 'ACTIVE', q: true });
    expect((await system.fact(system.sessions, (v) => v.deviceId === listed)).value.item).toEqual({
      ep: listed,
      q: true,
      resources: [
        { path: '/3200/0/5501', rt: 'counter', if: 'sensor', ct: 'text/plain', obs: true },
        { path: '/3200/0/5505', obs: false },
      ],
    });
    const known = newId();
    await system.lifecycle(known, 'never-came', 'created');
    expect(await system.call(proxy, app, 'GET', `/v2/endpoints/${known}`)).toMatchObject({
      status: 404,
      text: 'DEVICE_NOT_FOUND',
    });
  });

  it('reads, writes raw bytes, executes; each answer comes with its id', async () => {
    const read = await system.call(proxy, app, 'GET', `/v2/endpoints/${deviceId}/3303/0/5700`);
    expect(read.status).toBe(202);
    expect((await system.result(String(read.json['async-response-id']))).value.item.payload).toBe(b64('21.5'));
    const write = await system.call(proxy, app, 'PUT', `/v2/endpoints/${deviceId}/3341/0/5527`, Buffer.from('raw'), {
      'content-type': 'text/plain; charset=utf-8',
    });
    expect((await system.result(String(write.json['async-response-id']))).value).toMatchObject({
      outcome: 'succeeded',
      kind: 'endpoint',
    });
    expect(thing.text).toBe('raw');
    const execute = await system.call(proxy, app, 'POST', `/v2/endpoints/${deviceId}/3/0/4`);
    expect((await system.result(String(execute.json['async-response-id']))).value.item.status).toBe(200);
  });

  describe('GET of a path that is observed', () => {
    const temperature = '/3303/0/5700';
    let observed: Thermometer;
    let path: string;

    beforeAll(async () => {
      observed = system.thing(proxy, 'observed');
      const id = await system.register(observed);
      path = `/v2/endpoints/${id}${temperature}`;
      expect((await system.call(proxy, app, 'GET', `${path}?cacheOnly=true`)).status).toBe(205);
      await system.subscribe(proxy, app, id, temperature);
      await reports(23.5);
    });

    const reports = async (celsius: number): Promise<void> => {
      observed.celsius = celsius;
      await observed.device.changed(temperature);
    };

    const get = (at: RunningProxy, query = ''): Promise<Response> => system.raw(at, app, 'GET', path + query);

    const shows = async (at: RunningProxy, value: string, query?: string): Promise<void> => {
      const response = await get(at, query);
      expect([response.status, await response.text()]).toEqual([200, value]);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
      const [, maxAge] = /^max-age=(\d+)$/.exec(response.headers.get('cache-control') ?? '') ?? [];
      expect(Number(maxAge)).toBeGreaterThan(0);
      expect(Number(maxAge)).toBeLessThanOrEqual(60);
    };

    it('is 200 with the value while it is fresh, with and without cacheOnly, and the device is not asked', async () => {
      await eventually(() => shows(proxy, '23.5', '?cacheOnly=true'));
      const asked = observed.device.received.length;
      await shows(proxy, '23.5');
      expect(observed.device.received).toHaveLength(asked);
    });

    it('is the same at another replica', async () => {
      const other = await system.proxy('dp-1');
      // The start may have taken longer than a value is fresh.
      await eventually(async () => {
        await reports(23.5);
        await shows(other, '23.5');
      });
    });

    it('is fresh for no second more at a replica whose clock is fast', async () => {
      const ahead = await system.proxy('dp-fast', { clock: new TestClock(Date.now() + 120_000) });
      await eventually(async () => {
        await reports(23.5);
        const response = await get(ahead);
        expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'max-age=0']);
      });
    });

    it('asks the device after a command that may have changed it', async () => {
      const [id] = path.split('/').slice(3);
      const write = await system.call(proxy, app, 'PUT', `/v2/endpoints/${id}/3341/0/5527`, 'x');
      await system.result(String(write.json['async-response-id']));
      expect((await get(proxy)).status).toBe(202);
      expect((await get(proxy, '?cacheOnly=true')).status).toBe(205);
      await reports(24.5);
      await eventually(() => shows(proxy, '24.5'));
    });
  });

  it('405 for HEAD, which could not return the id of a command', async () => {
    const path = `/v2/endpoints/${deviceId}/3303/0/5700`;
    expect((await system.call(proxy, app, 'HEAD', path)).status).toBe(405);
  });

  it('noResp: 204, the result goes to no channel, and is part of what an Idempotency-Key stands for', async () => {
    const path = `/v2/endpoints/${deviceId}/3341/0/5527`;
    const once = { 'idempotency-key': newId() };
    const write = (query: string) => system.call(proxy, app, 'PUT', `${path}${query}`, 'quiet', once);
    expect(await write('?noResp=true')).toMatchObject({ status: 204, text: '' });
    await eventually(() => thing.text === 'quiet');
    const { audience, value } = await system.fact(system.results, (v) => v.written?.payload === b64('quiet'));
    expect([audience, value.noResponse, value.outcome]).toEqual(['', true, 'succeeded']);
    expect(await write('?noResp=true')).toMatchObject({ status: 204 });
    expect(await write('')).toMatchObject({ status: 422 });
  });

  it('cacheOnly: 205, unknown device: 404, a path of words: 400, too much: 413', async () => {
    const path = `/v2/endpoints/${deviceId}/3341/0/5527`;
    expect(await system.call(proxy, app, 'GET', `${path}?cacheOnly=true`)).toMatchObject({ status: 205 });
    expect(await system.call(proxy, app, 'GET', `/v2/endpoints/${newId()}/3/0/0`)).toMatchObject({
      status: 404,
      text: 'DEVICE_NOT_FOUND',
    });
    expect(await system.call(proxy, app, 'GET', `/v2/endpoints/${deviceId}/a/0`)).toMatchObject({ status: 400 });
    expect((await system.call(proxy, app, 'PUT', path, Buffer.alloc(1_048_577))).status).toBe(413);
  });
});
