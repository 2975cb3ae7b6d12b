import { randomBytes } from 'node:crypto';
import type { Identity } from '@lanyard/service';
import type { Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RawDevice } from './raw-device.js';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

describe('a value of 1 MiB', () => {
  const bytes = randomBytes(1_048_576);
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;
  let written = Buffer.alloc(0);

  beforeAll(async () => {
    system = await TestSystem.create('large');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'large');
    thing.device.resources.set('/5/0/0', {
      read: () => bytes,
      write: (payload) => {
        written = Buffer.from(payload);
      },
    });
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  afterAll(() => system.close());

  it('is written to a device in blocks', async () => {
    const path = `/v2/endpoints/${deviceId}/5/0/0`;
    const reply = await system.call(proxy, app, 'PUT', path, bytes, { 'content-type': 'application/octet-stream' });
    const { value } = await system.result(String(reply.json['async-response-id']));
    expect(value.item.status).toBe(200);
    expect(written.equals(bytes)).toBe(true);
    expect(value.written?.payload).toHaveLength(Math.ceil(bytes.length / 3) * 4);
  });

  it('is not written when the device takes the first block for all of it', async () => {
    const device = await RawDevice.registered(proxy.coapPort, 'hasty', '</5/0>');
    device.onRequest = (request) => device.respond(request, '');
    const { value: session } = await system.fact(system.sessions, (v) => v.endpointName === 'hasty');
    const path = `/v2/endpoints/${session.deviceId}/5/0/0`;
    const reply = await system.call(proxy, app, 'PUT', path, bytes, { 'content-type': 'application/octet-stream' });
    const { value } = await system.result(String(reply.json['async-response-id']));
    expect(value).toMatchObject({ outcome: 'failed', item: { status: 504, error: 'TIMEOUT' } });
    device.close();
  });

  it('is read from a device in blocks, recorded, and answered', async () => {
    const path = `/v2/endpoints/${deviceId}/5/0/0`;
    const reply = await system.call(proxy, app, 'GET', path);
    const { value } = await system.result(String(reply.json['async-response-id']));
    expect(Buffer.from(value.item.payload, 'base64').equals(bytes)).toBe(true);
    const recorded = await system.fact(system.values, (v) => v.item.path === '/5/0/0');
    expect(Buffer.from(recorded.value.item.payload, 'base64').equals(bytes)).toBe(true);
  });

  it('is the first value of a subscription, with its answer', async () => {
    const subscriber = newKey(system.accountId);
    const id = await system.subscribe(proxy, subscriber, deviceId, '/5/0/0');
    const payload = bytes.toString('base64');
    const { value } = await system.fact(system.values, (v) => v.audience.includes(subscriber.keyId));
    expect([value.item.payload === payload, value.answer?.item.id, value.answer?.item.payload === payload]).toEqual([
      true,
      id,
      true,
    ]);
  });

  it('is in the history with others up to 4 MiB on a page, and in no explanation', async () => {
    const reader = newKey(system.accountId);
    for (let n = 0; n < 6; n++) {
      const path = `/v2/device-requests/${deviceId}?async-id=page-${n}&wait=60`;
      expect((await system.call(proxy, reader, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(200);
    }
    const database = proxy.app.get(DataSource, { strict: false });
    await database.query('UPDATE commands SET result = $2 WHERE key_id = $1', [reader.keyId, bytes]);
    const page = async (after = '') => {
      const { json } = await system.call(proxy, reader, 'GET', `/v3/device-requests?limit=1000${after}`);
      return json as unknown as { data: { id: string; async_id: string; payload: string }[]; has_more: boolean };
    };
    const first = await page();
    expect([first.data.map((one) => one.async_id), first.has_more]).toEqual([
      ['page-5', 'page-4', 'page-3', 'page-2'],
      true,
    ]);
    expect(Buffer.from(first.data[0]?.payload ?? '', 'base64').equals(bytes)).toBe(true);
    const rest = await page(`&after=${first.data.at(-1)?.id}`);
    expect([rest.data.map((one) => one.async_id), rest.has_more]).toEqual([['page-1', 'page-0'], false]);
    const before = new Date(Date.now() + 60_000).toISOString();
    const explained = await system.call(proxy, reader, 'GET', `/explain/devices/${deviceId}?limit=6&before=${before}`);
    expect(explained.json.commands).toMatchObject([
      { async_id: 'page-5', status: 200, payload: null },
      {},
      {},
      {},
      {},
      {},
    ]);
  });
});
