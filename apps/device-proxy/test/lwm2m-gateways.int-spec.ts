import { type Identity, newId } from '@lanyard/service';
import { eventually, withKey } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { keyHex } from './secure-test-system.js';
import { type Child, temperature, TestLwm2mGateway } from './test-lwm2m-gateway.js';
import { newKey, type Reply, TestSystem } from './test-system.js';

const b64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

let system: TestSystem;
let proxy: RunningProxy;
let app: Identity;

beforeAll(async () => {
  system = await TestSystem.create('gateways');
  proxy = await system.proxy('dp-0');
  app = newKey(system.accountId);
});
afterAll(() => system.close());

let calls = 0;
const send = (deviceId: string, body: object, to = proxy): Promise<Reply> =>
  system.call(to, app, 'POST', `/v2/device-requests/${deviceId}?async-id=c${++calls}&wait=60`, body);

const subscribe = async (deviceId: string, to = proxy): Promise<void> => {
  await system.subscribe(to, app, deviceId, temperature);
};

const ended = (deviceId: string, after = 0) =>
  system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'deregistered' && v.epoch >= after);

const refusal = (gatewayId: string, text: string) =>
  system.fact(system.events, (v) => v.deviceId === gatewayId && (v.description ?? '').includes(text));

describe('devices behind a gateway', () => {
  let gateway: TestLwm2mGateway;
  let one: string;
  let two: string;

  beforeAll(async () => {
    gateway = new TestLwm2mGateway(system, proxy, 'gw');
    gateway.add(0, 'gw-one');
    gateway.add(1, 'gw-two');
    await gateway.register();
    [one, two] = await Promise.all([gateway.idOf('gw-one'), gateway.idOf('gw-two')]);
  });

  it('come into the directory with their gateway, and register with their objects', async () => {
    const contact = await system.fact(system.contacts, (v) => v.endpointName === 'gw-one');
    expect(contact.value).toMatchObject({ deviceId: one, hostGateway: gateway.deviceId });
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === one);
    expect(value).toMatchObject({ hostGateway: gateway.deviceId, transport: 'coap', lifetimeSeconds: 300 });
    expect(value.address).toMatch(/^127\.0\.0\.1:/);
    expect(value.item.resources?.map(({ path }) => path)).toEqual(['/3/0', '/3303/0', '/3341/0']);
  });

  it('are read, written and executed below their prefix', async () => {
    expect((await send(one, { method: 'GET', uri: temperature })).json).toMatchObject({ payload: b64('20') });
    expect((await send(two, { method: 'GET', uri: temperature })).json).toMatchObject({ payload: b64('21') });
    await send(two, { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64('hello'), 'content-type': 'text/plain' });
    await send(two, { method: 'POST', uri: '/3/0/4' });
    expect(gateway.children.get('p1')).toMatchObject({ written: ['hello'], executed: [''] });
    expect(gateway.children.get('p0')).toMatchObject({ written: [], executed: [] });
    const asked = gateway.device.received.map(({ method, path }) => `${method} ${path}`);
    expect(asked).toContain('GET /p0/3303/0/5700');
    expect(asked).toContain('POST /p1/3/0/4');
  });

  it('are read together: names have the prefix for the gateway, and none for the application', async () => {
    const body = { method: 'FETCH', uri: '/', 'payload-b64': b64([{ n: temperature }]) };
    const { json } = await send(one, body);
    expect(JSON.parse(Buffer.from(String(json.payload), 'base64').toString())).toEqual([{ n: temperature, v: 20 }]);
    expect(gateway.device.received.at(-1)).toMatchObject({ method: 'FETCH', path: '/' });
    expect(gateway.device.received.at(-1)?.payload).toContain('/p0');
  });

  it('cannot be used to reach another device', async () => {
    const body = { method: 'FETCH', uri: '/', 'payload-b64': b64([{ bn: '/', n: '3303/0/5700' }]) };
    await send(one, body);
    const names = JSON.parse(gateway.device.received.at(-1)?.payload ?? '[]') as { bn: string }[];
    expect(names[0]?.bn).toBe('/p0/');
  });

  it('report values to their own subscribers only, and so does the gateway', async () => {
    await subscribe(one);
    await subscribe(two);
    await subscribe(gateway.deviceId);
    await gateway.device.report(temperature, 29.5);
    await gateway.report(gateway.children.get('p0')!, 30.5);
    await gateway.report(gateway.children.get('p1')!, 31.5);
    const [a, b] = await Promise.all(
      ['30.5', '31.5'].map((text) => system.fact(system.values, (v) => v.item.payload === b64(text))),
    );
    expect(a).toMatchObject({
      value: { deviceId: one, item: { path: temperature }, cause: 'notify' },
      audience: app.keyId,
    });
    expect(b).toMatchObject({ value: { deviceId: two, item: { path: temperature } }, audience: app.keyId });
  });

  it('keep their values apart from those of the gateway', async () => {
    const { value } = await system.fact(system.values, (v) => v.item.payload === b64('29.5'));
    expect(value).toMatchObject({ deviceId: gateway.deviceId, item: { path: temperature } });
    const paths = system.values.filter((v) => v.value.deviceId === gateway.deviceId).map((v) => v.value.item.path);
    expect(new Set(paths)).toEqual(new Set([temperature, '/25']));
  });

  it('send values: each record is of the device whose prefix it has', async () => {
    await gateway.device.send([
      [`/p0${temperature}`, 40.5],
      [temperature, 41.5],
      [`/p1${temperature}`, 42.5],
    ]);
    const ids = await Promise.all(
      ['40.5', '41.5', '42.5'].map(
        async (text) => (await system.fact(system.values, (v) => v.item.payload === b64(text))).value,
      ),
    );
    expect(ids.map(({ deviceId }) => deviceId)).toEqual([one, gateway.deviceId, two]);
    expect(ids.every(({ cause, item }) => cause === 'send' && item.path === temperature)).toBe(true);
    await expect(gateway.device.send([[`/unknown${temperature}`, 1]])).rejects.toMatchObject({ code: '4.04' });
  });

  it('come and go when object 25 changes', async () => {
    gateway.add(2, 'gw-three');
    await gateway.reportList();
    const three = await gateway.idOf('gw-three');
    expect((await send(three, { method: 'GET', uri: temperature })).json).toMatchObject({ payload: b64('22') });
    gateway.remove(2);
    await gateway.reportList();
    expect((await ended(three)).value).toMatchObject({ reason: 'gateway', hostGateway: gateway.deviceId });
    await eventually(async () => expect(await system.storedSession(three)).toEqual({}));
    await expect(gateway.device.send([[`/p2${temperature}`, 1]])).rejects.toMatchObject({ code: '4.04' });
  });

  it('have other objects when their list changes', async () => {
    gateway.device.resources.set('/25/0/3', { read: () => '</3/0>,</3303/0>,</3303/1>' });
    await gateway.reportList();
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === one && v.change === 'updated');
    expect(value.item.resources?.map(({ path }) => path)).toEqual(['/3/0', '/3303/0', '/3303/1']);
    await gateway.report(gateway.children.get('p0')!, 32.5);
    await system.fact(system.values, (v) => v.deviceId === one && v.item.payload === b64('32.5'));
  });

  it('that are suspended get no command, and their values are dropped; they come back when they are resumed', async () => {
    const hostGateway = gateway.deviceId;
    await system.lifecycle(two, 'gw-two', 'suspended', { hostGateway });
    const { value } = await ended(two);
    expect(value).toMatchObject({ reason: 'suspended' });
    // The session ends soon after it is announced.
    await eventually(() => expect(gateway.report(gateway.children.get('p1')!, 52.5)).rejects.toThrow('reset'));
    await gateway.device.send([
      [`/p1${temperature}`, 50.5],
      [`/p0${temperature}`, 51.5],
    ]);
    await system.fact(system.values, (v) => v.item.payload === b64('51.5'));
    // The gateway and the other device are not affected.
    expect((await send(one, { method: 'GET', uri: temperature })).json).toMatchObject({ status: 200 });
    await system.lifecycle(two, 'gw-two', 'resumed', { hostGateway });
    await gateway.idOf('gw-two', value.epoch);
    expect((await send(two, { method: 'GET', uri: temperature })).json).toMatchObject({ status: 200 });
    await gateway.device.send([[`/p1${temperature}`, 53.5]]);
    await system.fact(system.values, (v) => v.deviceId === two && v.item.payload === b64('53.5'));
    expect(system.values.some((one) => one.value.item.payload === b64('50.5'))).toBe(false);
  });

  it('end with the registration of the gateway, and return with it', async () => {
    const epoch = Number((await system.storedSession(one)).epoch);
    await gateway.device.deregister();
    expect((await ended(one, epoch)).value).toMatchObject({ reason: 'gateway' });
    const waiting = system.call(proxy, app, 'POST', `/v2/device-requests/${one}?async-id=later`, {
      method: 'GET',
      uri: temperature,
    });
    expect((await waiting).status).toBe(202);
    await gateway.register();
    await gateway.idOf('gw-one', epoch);
    expect((await system.result('later')).value).toMatchObject({ outcome: 'succeeded', deviceId: one });
  });

  it('go from one gateway to another when the directory says so', async () => {
    const other = new TestLwm2mGateway(system, proxy, 'gw-other');
    other.add(0, 'gw-one', 'here');
    await other.register();
    await refusal(other.deviceId, 'not behind this LwM2M gateway');
    for (const host of [other, gateway]) {
      const { epoch } = await system.storedSession(one);
      await system.lifecycle(one, 'gw-one', 'changed', { hostGateway: host.deviceId });
      await gateway.idOf('gw-one', Number(epoch));
      expect((await send(one, { method: 'GET', uri: temperature })).json).toMatchObject({ status: 200 });
    }
  });

  it('follow the address of the gateway', async () => {
    await subscribe(one);
    await gateway.device.open({ newAddress: true });
    await gateway.report(gateway.children.get('p0')!, 33.5);
    await system.fact(system.values, (v) => v.deviceId === one && v.item.payload === b64('33.5'));
    expect((await send(two, { method: 'GET', uri: temperature })).json).toMatchObject({ status: 200 });
  });
});

describe('a gateway that registers again without object 25', () => {
  it('has no devices any more', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'former');
    gateway.add(0, 'former-one');
    await gateway.register();
    const id = await gateway.idOf('former-one');
    await system.register(system.thing(proxy, 'former', { links: '</3/0>,</3303/0>' }));
    expect((await ended(id)).value).toMatchObject({ reason: 'gateway', hostGateway: gateway.deviceId });
    await eventually(async () => expect(await system.storedSession(id)).toEqual({}));
  });
});

describe('a gateway of another replica', () => {
  it('is taken over with its devices, their observations and their commands', async () => {
    const other = await system.proxy('dp-1');
    const gateway = new TestLwm2mGateway(system, proxy, 'moving');
    const child = gateway.add(0, 'moving-one');
    await gateway.register();
    const id = await gateway.idOf('moving-one');
    await subscribe(id);
    await gateway.report(child, 60.5);
    gateway.device.talkTo(`coap://127.0.0.1:${other.coapPort}`);
    await gateway.report(child, 61.5);
    const { value } = await system.fact(system.values, (v) => v.item.payload === b64('61.5'));
    expect(value.deviceId).toBe(id);
    expect(await system.storedSession(id)).toMatchObject({ owner: 'dp-1' });
    expect((await send(id, { method: 'GET', uri: temperature })).json).toMatchObject({ payload: b64('61.5') });
    // Back, with an update of the registration.
    gateway.device.talkTo(`coap://127.0.0.1:${proxy.coapPort}`);
    await gateway.device.update();
    expect((await send(id, { method: 'GET', uri: temperature }, other)).json).toMatchObject({ status: 200 });
    await gateway.report(child, 62.5);
    await system.fact(system.values, (v) => v.deviceId === id && v.item.payload === b64('62.5'));
    expect(await system.storedSession(id)).toMatchObject({ owner: 'dp-0' });
    await system.stop(other);
  });

  it('has its devices again after a restart', async () => {
    const replica = await system.proxy('dp-restarted');
    const gateway = new TestLwm2mGateway(system, replica, 'restarted');
    const child = gateway.add(0, 'restarted-one');
    await gateway.register();
    const id = await gateway.idOf('restarted-one');
    await subscribe(id, replica);
    await system.stop(replica);
    const again = await system.proxy('dp-restarted');
    gateway.device.talkTo(`coap://127.0.0.1:${again.coapPort}`);
    await gateway.report(child, 70.5);
    const { value, audience } = await system.fact(system.values, (v) => v.item.payload === b64('70.5'));
    expect([value.deviceId, audience]).toEqual([id, app.keyId]);
    await system.stop(again);
  });
});

describe('a gateway over DTLS that comes over another connection', () => {
  let secure: RunningProxy;

  beforeAll(async () => {
    secure = await system.proxy('dp-secure', { dtls: {} });
  });
  afterAll(() => system.stop(secure));

  /** With one device behind it, which is observed. */
  const observed = async (name: string): Promise<{ gateway: TestLwm2mGateway; child: Child; childId: string }> => {
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    await system.credential({ deviceId, identity: `id-${name}`, key: keyHex });
    await system.knows(secure, name);
    const gateway = new TestLwm2mGateway(system, secure, name, {
      server: `coaps://127.0.0.1:${secure.dtlsPort}`,
      security: withKey(`id-${name}`, keyHex),
      dtls: { connectionId: false, handshakeMs: 2_000 },
    });
    const child = gateway.add(0, `${name}-one`);
    await gateway.register();
    const childId = await gateway.idOf(`${name}-one`);
    await subscribe(childId, secure);
    return { gateway, child, childId };
  };

  it('has its devices and their observations again after an update', async () => {
    const { gateway, child, childId } = await observed('updating');
    gateway.add(1, 'updating-two');
    child.celsius = 44.5;
    gateway.device.dtls?.drop();
    await eventually(() => gateway.device.update());
    await gateway.idOf('updating-two');
    await system.fact(system.values, (v) => v.deviceId === childId && v.item.payload === b64('44.5'));
  });

  it('has them again after a Send, also if that is not accepted', async () => {
    const { gateway, child, childId } = await observed('sending');
    system.registryRuns = false;
    try {
      gateway.add(1, 'sending-two');
      await gateway.reportList();
      child.celsius = 45.5;
      gateway.device.dtls?.drop();
      const pending = `/p1${temperature}`;
      await eventually(() => expect(gateway.device.send([[pending, 46.5]])).rejects.toMatchObject({ code: '5.03' }));
      await system.fact(system.values, (v) => v.deviceId === childId && v.item.payload === b64('45.5'));
    } finally {
      system.registryRuns = true;
    }
  });
});

describe('a device behind a gateway that was suspended while no replica had its session', () => {
  it('has none afterwards', async () => {
    const replica = await system.proxy('dp-away');
    const gateway = new TestLwm2mGateway(system, replica, 'away');
    const child = gateway.add(0, 'away-one');
    gateway.add(1, 'away-two');
    await gateway.register();
    const [one, two] = await Promise.all([gateway.idOf('away-one'), gateway.idOf('away-two')]);
    await subscribe(one, replica);
    await system.stop(replica);
    await system.lifecycle(one, 'away-one', 'suspended', { hostGateway: gateway.deviceId });
    const again = await system.proxy('dp-away');
    gateway.device.talkTo(`coap://127.0.0.1:${again.coapPort}`);
    expect((await ended(one)).value).toMatchObject({ reason: 'suspended' });
    await eventually(async () => expect(await system.storedSession(one)).toEqual({}));
    await gateway.device.update();
    await expect(gateway.report(child, 80.5)).rejects.toThrow('reset');
    expect((await send(two, { method: 'GET', uri: temperature }, again)).json).toMatchObject({ status: 200 });
    expect(system.values.some(({ value }) => value.item.payload === b64('80.5'))).toBe(false);
    await system.stop(again);
  });
});

describe('refused', () => {
  it('are unusable instances, each with what is wrong; the others are served', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'careless');
    gateway.add(0, 'careless-good', 'good');
    gateway.add(1, 'careless-slash', 'a/b');
    gateway.add(2, 'careless-digits', '3303');
    gateway.add(3, ' ', 'blank');
    gateway.add(4, 'careless-links', 'links', 'nonsense');
    gateway.add(5, 'careless-same', 'same');
    gateway.add(6, 'careless-twin', 'same');
    gateway.add(7, 'careless-c\0', 'c');
    await gateway.register();
    await gateway.idOf('careless-good');
    await refusal(gateway.deviceId, 'must be one segment of a path');
    await refusal(gateway.deviceId, 'the device id, is missing or blank');
    await refusal(gateway.deviceId, 'resource 3, the objects');
    await refusal(gateway.deviceId, 'the prefix, is that of another instance too');
    const { value } = await refusal(gateway.deviceId, 'the device id, has control characters');
    expect(value.data).toMatchObject({ endpoint_name: 'careless-c\ufffd' });
    expect(
      system.contacts.map(({ value }) => value.endpointName).filter((name) => name.startsWith('careless-')),
    ).toEqual(['careless-good']);
  });

  it('are names of devices that are not behind the gateway: by themselves, behind another one, or the gateway itself', async () => {
    const direct = system.thing(proxy, 'direct');
    const directId = await system.register(direct);
    const first = new TestLwm2mGateway(system, proxy, 'first');
    first.add(0, 'first-own');
    await first.register();
    const own = await first.idOf('first-own');
    const thief = new TestLwm2mGateway(system, proxy, 'thief');
    thief.add(0, 'direct');
    thief.add(1, 'first-own');
    thief.add(2, 'thief');
    await thief.register();
    await eventually(() => {
      const refused = system.events.filter(({ value }) => value.deviceId === thief.deviceId);
      expect(refused.map(({ value }) => value.data?.endpoint_name).sort()).toEqual(['direct', 'first-own', 'thief']);
    });
    expect(system.events.find(({ value }) => value.deviceId === thief.deviceId)?.value).toMatchObject({
      eventCode: 'SYS_400',
      description: expect.stringContaining('the name belongs to a device that is not behind this LwM2M gateway'),
    });
    expect((await send(directId, { method: 'GET', uri: temperature })).json).toMatchObject({ status: 200 });
    expect((await send(own, { method: 'GET', uri: temperature })).json).toMatchObject({ payload: b64('20') });
    await thief.device.send([
      [`/p1${temperature}`, 99.5],
      [temperature, 98.5],
    ]);
    await system.fact(system.values, (v) => v.item.payload === b64('98.5'));
    await first.device.send([[`/p0${temperature}`, 97.5]]);
    await system.fact(system.values, (v) => v.deviceId === own && v.item.payload === b64('97.5'));
    expect(system.values.some(({ value }) => value.item.payload === b64('99.5'))).toBe(false);
  });

  it('is a device without security that takes the name of one behind a gateway', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'host');
    gateway.add(0, 'hosted');
    await gateway.register();
    await gateway.idOf('hosted');
    const pretender = system.thing(proxy, 'hosted');
    await expect(pretender.device.register()).rejects.toMatchObject({ code: '4.03' });
  });

  it('are devices beyond the bound', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'crowded');
    for (let n = 0; n < 403; n++) gateway.add(n, `crowd-${n}`);
    await gateway.register();
    await refusal(gateway.deviceId, 'a gateway may have at most 400 devices');
    await gateway.idOf('crowd-399');
    expect(system.contacts.some(({ value }) => value.endpointName === 'crowd-400')).toBe(false);
  });

  it('is a list that cannot be read', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'garbled', { formats: [0, 110] });
    gateway.device.resources.set('/25/0/0', { read: () => Buffer.from('x') });
    await gateway.register();
    await refusal(gateway.deviceId, 'resource 0, the device id, is missing or blank');
  });

  it('is an error of the gateway: once in the event log, and its list is read again', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'failing');
    gateway.add(0, 'failing-child');
    let failures = 2;
    gateway.device.beforeAnswer = ({ path }) => {
      if (path === '/25' && failures-- > 0) throw new Error('out of memory');
    };
    await gateway.register();
    await refusal(gateway.deviceId, 'the gateway said 5.00');
    const served = async (): Promise<void> => {
      await gateway.device.update();
      expect(system.sessions.map(({ value }) => value.endpointName)).toContain('failing-child');
    };
    await eventually(served, { intervalMs: 500 });
    const refused = system.events.filter(({ value }) => value.deviceId === gateway.deviceId);
    expect(refused.map(({ value }) => value.data?.reason)).toEqual(['behind-gateway']);
  });
});
