import { type Identity, newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

const bytes = Buffer.from([0xff, 0, 1]);
/** Of no known type: it is asked for as text, and the device has bytes only. */
const ownPath = '/40000/0/1';

describe('the format in which a device is asked', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('formats');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'formats');
    thing.device.resources.set(ownPath, { read: () => bytes });
    deviceId = await system.register(thing);
    app = newKey(system.accountId);
  });
  beforeEach(() => {
    thing.device.received.length = 0;
  });
  afterAll(() => system.close());

  const read = async (uri: string, accept?: string): Promise<object> => {
    const path = `/v2/device-requests/${deviceId}?async-id=${newId()}&wait=20`;
    return (await system.call(proxy, app, 'POST', path, { method: 'GET', uri, accept })).json;
  };

  it('is text for a single value and TLV for an instance; what the application wishes wins', async () => {
    expect(await read('/3303/0/5700')).toMatchObject({
      ct: 'text/plain',
      payload: Buffer.from('21.5').toString('base64'),
    });
    expect(await read('/3303/0')).toMatchObject({ ct: 'application/vnd.oma.lwm2m+tlv' });
    expect(await read('/3303/0', 'application/senml+json')).toMatchObject({ ct: 'application/senml+json' });
    expect(thing.device.received).toHaveLength(3);
  });

  it('is left to a device that refuses it, at once from the second time', async () => {
    const value = { status: 200, ct: 'application/octet-stream', payload: bytes.toString('base64') };
    expect(await read(ownPath)).toMatchObject(value);
    expect(thing.device.received).toHaveLength(2);
    expect(await read(ownPath)).toMatchObject(value);
    expect(thing.device.received).toHaveLength(3);
    expect(await read('/3303/0/5700')).toMatchObject({ ct: 'text/plain' });
    expect(thing.device.received).toHaveLength(4);
  });

  it('a refusal of what the application wishes is its answer', async () => {
    expect(await read(ownPath, 'text/plain')).toMatchObject({ status: 415, error: 'NOT_ACCEPTABLE' });
    expect(thing.device.received).toHaveLength(1);
  });

  it('is the same for observations', async () => {
    thing.device.resources.set('/40000/0/2', { read: () => bytes });
    for (const path of ['/3303/0/5700', '/3303/0', '/40000/0/2'])
      await system.call(proxy, app, 'PUT', `/v2/subscriptions/${deviceId}${path}`);
    const typeOf = (path: string): unknown =>
      system.values.find(({ value }) => value.cause === 'notify' && value.item.path === path)?.value.item.ct;
    await eventually(() =>
      expect(['/3303/0/5700', '/3303/0', '/40000/0/2'].map(typeOf)).toEqual([
        'text/plain',
        'application/vnd.oma.lwm2m+tlv',
        'application/octet-stream',
      ]),
    );
  });
});
