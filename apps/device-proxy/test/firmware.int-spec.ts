import type { Identity } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';

describe('firmware updates in the event log', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('firmware');
    proxy = await system.proxy('dp-0');
    app = newKey(system.accountId);
  });
  afterAll(() => system.close());

  const device = async (name: string, results: Record<string, number>): Promise<[Thermometer, string]> => {
    const thing = system.thing(proxy, name);
    for (const path of Object.keys(results)) thing.device.resources.set(path, { read: () => results[path] ?? 0 });
    return [thing, await system.register(thing)];
  };
  const codes = (deviceId: string): string[] =>
    system.events.filter(({ value }) => value.deviceId === deviceId).map(({ value }) => value.eventCode);
  const read = (deviceId: string, uri: string, asyncId: string): Promise<unknown> =>
    system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}&wait=60`, {
      method: 'GET',
      uri,
    });

  it('a result of object 5 is one entry, however often the device says it', async () => {
    const results = { '/5/0/3': 0, '/5/0/5': 0 };
    const [thing, deviceId] = await device('updated', results);
    for (const path of ['/5/0/5', '/5/0/3']) await system.subscribe(proxy, app, deviceId, path);
    await thing.device.report('/5/0/3', 3);
    results['/5/0/5'] = 1;
    await thing.device.report('/5/0/5', 1);
    const { value } = await system.fact(system.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({
      eventCode: 'UPD2_OK_18',
      accountId: system.accountId,
      data: { resource_path: '/5/0/5', result: 'success', state: 'updating' },
    });
    await thing.device.report('/5/0/5', 1);
    await system.register(thing);
    await read(deviceId, '/5/0', 'whole');
    results['/5/0/5'] = 0;
    await read(deviceId, '/5/0/5', 'reset');
    results['/5/0/5'] = 5;
    await read(deviceId, '/5/0', 'failed');
    await eventually(() => expect(codes(deviceId)).toEqual(['UPD2_OK_18', 'UPD4_FAIL_26']));
  });

  it('so is the number of the update client, also by Send', async () => {
    const [thing, deviceId] = await device('client', { '/10252/0/3': 0 });
    await thing.device.send([['/10252/0/3', 27]]);
    await thing.device.send([['/10252/0/3', 3]]);
    await thing.device.send([['/10252/0/3', 18]]);
    await eventually(() => expect(codes(deviceId)).toEqual(['UPD4_FAIL_27', 'UPD2_OK_18']));
  });

  it('what is no number is a value like any other', async () => {
    const [thing, deviceId] = await device('odd', { '/5/0/5': 0 });
    await thing.device.send([['/5/0/5', 'soon']]);
    await system.fact(system.values, (v) => v.deviceId === deviceId);
    // An entry of the first value would be before that of the second.
    await thing.device.send([['/5/0/5', 1]]);
    await eventually(() => expect(codes(deviceId)).toEqual(['UPD2_OK_18']));
  });
});
