import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type SecureDevice, withKey } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import { keyHex, path, SecureTestSystem } from './secure-test-system.js';
import { newKey, type TestSystem } from './test-system.js';

describe.each(['DTLS', 'DTLS without connection ids'] as const)('a device over %s that resumes its session', (over) => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`reconnection-${over.length}`, over);
    ({ system, proxy } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  const observed = async (
    name: string,
  ): Promise<{ thing: SecureDevice; deviceId: string; address: string | undefined }> => {
    const { deviceId, identity } = await secured.directory(name);
    const thing = secured.device(name);
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    const { address } = (await secured.registered(name)).value;
    await system.subscribe(proxy, newKey(system.accountId), deviceId, `/${path}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    return { thing, deviceId, address };
  };

  const notified = (deviceId: string, text: string) => {
    const payload = Buffer.from(text).toString('base64');
    return system.fact(
      system.values,
      (v) => v.deviceId === deviceId && v.cause === 'notify' && v.item.payload === payload,
    );
  };

  it('may notify without an update: its session follows, and its observations continue', async () => {
    const { thing, deviceId, address } = await observed('notifier');
    await thing.dtls.connect();
    thing.report('34.5');
    expect((await notified(deviceId, '34.5')).value.audience).toHaveLength(1);
    expect((await system.storedSession(deviceId)).address).not.toBe(address);
    thing.report('35.5');
    await notified(deviceId, '35.5');
    const body = { method: 'GET', uri: `/${path}` };
    await system.call(proxy, newKey(system.accountId), 'POST', `/v2/device-requests/${deviceId}?async-id=read`, body);
    expect((await system.result('read')).value.item).toMatchObject({ status: 200 });
  });

  it('may send values without an update: its session follows, and it is observed again', async () => {
    const { thing, deviceId, address } = await observed('sender');
    await thing.dtls.connect();
    thing.temperature = '36.5';
    expect(await thing.post(['dp'], [], `[{"n":"/${path}","v":37}]`, 110)).toBe('2.04');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.cause === 'send');
    await notified(deviceId, '36.5');
    expect((await system.storedSession(deviceId)).address).not.toBe(address);
  });

  it('has to register before its first values', async () => {
    const { identity } = await secured.directory('newcomer');
    const thing = secured.device('newcomer');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.post(['dp'], [], `[{"n":"/${path}","v":38}]`, 110)).toBe('4.04');
  });
});
