import { randomBytes } from 'node:crypto';
import type { Identity } from '@lanyard/service';
import type { Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it('is read from a device in blocks, recorded, and answered', async () => {
    const path = `/v2/endpoints/${deviceId}/5/0/0`;
    const reply = await system.call(proxy, app, 'GET', path);
    const { value } = await system.result(String(reply.json['async-response-id']));
    expect(Buffer.from(value.item.payload, 'base64').equals(bytes)).toBe(true);
    const recorded = await system.fact(system.values, (v) => v.item.path === '/5/0/0');
    expect(Buffer.from(recorded.value.item.payload, 'base64').equals(bytes)).toBe(true);
  });
});
