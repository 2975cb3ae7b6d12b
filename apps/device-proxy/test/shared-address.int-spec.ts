import { Code } from '@lanyard/coap';
import type { Identity } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';
import { RawDevice } from './raw-device.js';

/** For a machine ten times slower than a developer's. */
const links = '</3/0>,</5/0>,</3303/0>';
const result = '/5/0/5';
const second = 20;

describe('a device that registers from the address of another one', () => {
  let system: TestSystem;
  let replicas: [RunningProxy, RunningProxy];
  let app: Identity;
  const devices: RawDevice[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('shared-address');
    replicas = [await system.proxy('dp-0'), await system.proxy('dp-1')];
    app = newKey(system.accountId);
  });
  afterAll(async () => {
    for (const device of devices) device.close();
    await system.close();
  });

  const idOf = async (name: string): Promise<string> =>
    (await system.fact(system.sessions, (v) => v.endpointName === name)).value.deviceId;
  const ask = async (deviceId: string, asyncId: string, uri: string): Promise<void> => {
    const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
    expect((await system.call(replicas[0], app, 'POST', path, { method: 'GET', uri })).status).toBe(202);
  };
  const pathsAsked = (device: RawDevice): string[] =>
    device
      .requests()
      .filter(({ code }) => code === Code.GET)
      .map(({ options }) =>
        options
          .filter(({ number }) => number === 11)
          .map(({ value }) => `/${String(value)}`)
          .join(''),
      );
  const hears = (device: RawDevice, path: string): Promise<void> =>
    eventually(() => expect(pathsAsked(device)).toContain(path));

  it.each([
    ['the same replica', 0],
    ['another replica', 1],
  ] as const)('through %s gets none of its commands; they wait for its update', async (_, other) => {
    const [one, two] = [`one-${other}`, `two-${other}`];
    const device = await RawDevice.registered(replicas[0].coapPort, one, links);
    devices.push(device);
    device.onRequest = (request) => device.respond(request, '1');
    const oneId = await idOf(one);
    device.talkTo(replicas[other].coapPort);
    await device.register(two, links, second);
    const twoId = await idOf(two);
    await ask(oneId, `${one}-a`, '/3/0/1');
    await ask(twoId, `${two}-a`, '/3/0/2');
    await hears(device, '/3/0/2');
    expect(pathsAsked(device)).not.toContain('/3/0/1');
    expect(system.results.some(({ value }) => value.asyncId === `${one}-a`)).toBe(false);
    device.update(30, 1);
    await hears(device, '/3/0/1');
    await ask(twoId, `${two}-b`, '/3/0/3');
    device.update(31, 1);
    await eventually(() => expect(device.heard.some(({ messageId }) => messageId === 31)).toBe(true));
    expect(pathsAsked(device)).not.toContain('/3/0/3');
    device.update(32, second);
    await hears(device, '/3/0/3');
  });

  it('is registered although its message has the id, the token and the payload of that one', async () => {
    const device = await RawDevice.registered(replicas[0].coapPort, 'first-here', links);
    devices.push(device);
    device.onRequest = (request) => device.respond(request, '1');
    await device.register('second-here', links, 1);
    const id = await idOf('second-here');
    await ask(id, 'second-here', '/3/0/6');
    await hears(device, '/3/0/6');
  });

  it('does not get a command again that was in flight', async () => {
    const device = await RawDevice.registered(replicas[0].coapPort, 'before', links);
    devices.push(device);
    await ask(await idOf('before'), 'under-way', '/3/0/7');
    await hears(device, '/3/0/7');
    device.onRequest = (request) => device.respond(request, '1');
    await device.register('behind', links, second);
    const twoId = await idOf('behind');
    const count = pathsAsked(device).filter((path) => path === '/3/0/7').length;
    // Had it not been given up, it would be in the way of this one for a minute.
    await ask(twoId, 'behind-it', '/3/0/8');
    await hears(device, '/3/0/8');
    expect(pathsAsked(device).filter((path) => path === '/3/0/7')).toHaveLength(count);
  });

  it('leaves values of the one before to it: their token says whose they are', async () => {
    const device = await RawDevice.registered(replicas[0].coapPort, 'observed', links);
    devices.push(device);
    const oneId = await idOf('observed');
    const asked = new Promise<Buffer>((resolve) => {
      device.onObserve = (request) => {
        device.answer(request, { number: 10, payload: '0', format: 0 });
        resolve(request.token);
      };
    });
    await system.subscribe(replicas[0], app, oneId, result);
    const token = await asked;
    await device.register('beside', links, second);
    const twoId = await idOf('beside');
    expect(await device.told(token, { number: 11, messageId: 40, payload: '7', format: 0 })).toBe('ACK');
    await system.fact(system.values, (v) => v.deviceId === oneId && v.item.payload === 'Nw==');
    await ask(oneId, 'still-waits', '/3/0/4');
    await ask(twoId, 'goes', '/3/0/5');
    await hears(device, '/3/0/5');
    expect(pathsAsked(device)).not.toContain('/3/0/4');
  });
});
