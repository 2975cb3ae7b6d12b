import { Code, formatCode } from '@lanyard/coap';
import { namesIn } from '@lanyard/lwm2m';
import type { Identity } from '@lanyard/service';
import { type DeviceClient, eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { temperature, TestLwm2mGateway } from './test-lwm2m-gateway.js';
import { newKey, type Reply, TestSystem } from './test-system.js';

const b64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const recordsIn = ({ json }: Reply): unknown => JSON.parse(Buffer.from(String(json.payload), 'base64').toString());

const root = '/lwm2m';
const rootLink = `<${root}>;rt="oma.lwm2m";ct="0 110"`;
const text = '/3341/0/5527';
const senmlJson = 110;

/** All of it is below the root from now on. */
const moveBelowRoot = ({ resources }: DeviceClient): void => {
  for (const [path, resource] of [...resources]) {
    resources.delete(path);
    resources.set(root + path, resource);
  }
};

let system: TestSystem;
let proxy: RunningProxy;
let app: Identity;

beforeAll(async () => {
  system = await TestSystem.create('root');
  proxy = await system.proxy('dp-0');
  app = newKey(system.accountId);
});
afterAll(() => system.close());

let calls = 0;
const ask = (deviceId: string, body: object): Promise<Reply> =>
  system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=r${++calls}&wait=60`, body);
const value = (deviceId: string, path: string, said: string) =>
  system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === path && v.item.payload === b64(said));

describe('a device with an alternate root', () => {
  let thing: Thermometer;
  let deviceId: string;

  beforeAll(async () => {
    const links = `${rootLink},<${root}/3/0>,<${root}/3303/0>,<${root}/3341/0>`;
    thing = system.thing(proxy, 'below', { links, formats: [0, senmlJson] });
    moveBelowRoot(thing.device);
    deviceId = await system.register(thing);
  });

  it('names what it sends with its root or without it', async () => {
    const send = async (pack: object): Promise<string> => {
      const body = { payload: Buffer.from(JSON.stringify(pack)), contentFormat: senmlJson };
      return formatCode((await thing.device.request(Code.POST, ['dp'], [], body)).code);
    };
    expect(await send([{ bn: `${root}${temperature}`, v: 1.5 }])).toBe('2.04');
    expect((await value(deviceId, temperature, '1.5')).value).toMatchObject({ cause: 'send' });
    expect(await send([{ n: temperature, v: 2.5 }])).toBe('2.04');
    await value(deviceId, temperature, '2.5');
    expect(await send([{ n: `/other${temperature}`, v: 3.5 }])).toBe('4.00');
  });

  it('is read together, by names below its root', async () => {
    const reply = await ask(deviceId, { method: 'FETCH', uri: '/', 'payload-b64': b64([{ n: temperature }]) });
    expect(reply.json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    expect(recordsIn(reply)).toEqual([{ n: temperature, v: 21.5 }]);
    const asked = thing.device.received.at(-1);
    expect(asked).toMatchObject({ method: 'FETCH', path: root });
    expect(namesIn(senmlJson, Buffer.from(asked?.payload ?? ''))).toEqual([root + temperature]);
    expect((await value(deviceId, temperature, '21.5')).value).toMatchObject({ cause: 'read' });
  });

  it('is read in SenML, and the application sees names without the root', async () => {
    const reply = await ask(deviceId, { method: 'GET', uri: '/3303/0', accept: 'application/senml+json' });
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'GET', path: `${root}/3303/0` });
    expect(recordsIn(reply)).toContainEqual({ n: temperature, v: 21.5 });
  });

  it('is observed together, and reports with its root', async () => {
    const both = [temperature, text];
    const list = b64(both.map((n) => ({ n })));
    const reply = await ask(deviceId, { method: 'FETCH', uri: '/', observe: true, 'payload-b64': list });
    expect(reply.json).toMatchObject({ status: 200 });
    expect(recordsIn(reply)).toContainEqual({ n: text, vs: 'hello' });
    expect(thing.device.received.at(-1)).toMatchObject({ method: 'FETCH', path: root, observe: 0 });
    const named = both.map((path) => root + path);
    expect(thing.device.areObserved(named)).toBe(true);
    thing.celsius = 30;
    await thing.device.reportTogether(named);
    expect((await value(deviceId, temperature, '30')).value).toMatchObject({ cause: 'notify', audience: [app.keyId] });
    expect((await system.call(proxy, app, 'DELETE', `/v2/subscriptions/${deviceId}`)).status).toBe(204);
    await eventually(() => expect(thing.device.areObserved(named)).toBe(false));
  });
});

describe('a gateway with an alternate root', () => {
  it('has the prefixes of the devices behind it below its root', async () => {
    const links = `${rootLink},<${root}/3/0>,<${root}/25>;ver="2.0"`;
    const gateway = new TestLwm2mGateway(system, proxy, 'root-gw', { links, formats: [0, senmlJson] });
    gateway.add(0, 'root-one');
    moveBelowRoot(gateway.device);
    await gateway.register();
    const one = await gateway.idOf('root-one');
    const reply = await ask(one, { method: 'FETCH', uri: '/', 'payload-b64': b64([{ n: temperature }]) });
    expect(recordsIn(reply)).toEqual([{ n: temperature, v: 20 }]);
    const asked = gateway.device.received.at(-1);
    expect(asked).toMatchObject({ method: 'FETCH', path: root });
    expect(namesIn(senmlJson, Buffer.from(asked?.payload ?? ''))).toEqual([`${root}/p0${temperature}`]);
    await gateway.device.send([
      [`${root}/p0${temperature}`, 40.5],
      [`${root}${temperature}`, 41.5],
    ]);
    await value(one, temperature, '40.5');
    await value(gateway.deviceId, temperature, '41.5');
  });
});
