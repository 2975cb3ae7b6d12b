import { Code, formatCode } from '@lanyard/coap';
import { newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem } from './test-system.js';

describe('the registration interface', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let stranger: Thermometer;

  beforeAll(async () => {
    system = await TestSystem.create('registration');
    proxy = await system.proxy('dp-0');
    stranger = system.thing(proxy, 'stranger');
    await stranger.device.open();
  });
  afterAll(() => system.close());

  const post = async (path: string[], query: string[], payload?: Buffer, contentFormat?: number): Promise<string> =>
    formatCode((await stranger.device.request(Code.POST, path, query, { payload, contentFormat })).code);

  it.each([
    ['no endpoint name', ['lt=60', 'lwm2m=1.1'], '4.00'],
    ['a lifetime that is too long', ['ep=x', 'lt=4294967296', 'lwm2m=1.1'], '4.00'],
    ['a lifetime that is no number', ['ep=x', 'lt=soon', 'lwm2m=1.1'], '4.00'],
    ['an unknown binding', ['ep=x', 'lt=60', 'lwm2m=1.1', 'b=XYZ'], '4.00'],
    ['a queue mode with a value', ['ep=x', 'lt=60', 'lwm2m=1.1', 'Q=1'], '4.00'],
    ['an unknown version', ['ep=x', 'lt=60', 'lwm2m=2.0'], '4.12'],
  ])('%s: %j is refused with %s', async (_, query, code) => {
    expect(await post(['rd'], query, Buffer.from('</3/0>'), 40)).toBe(code);
  });

  it('a link list that is none is refused with 4.00', async () => {
    expect(await post(['rd'], ['ep=x', 'lt=60', 'lwm2m=1.1'], Buffer.from('<</3/0'), 40)).toBe('4.00');
  });

  it('a profile instead of a link list is refused with 4.09', async () => {
    expect(await post(['rd'], ['ep=x', 'lt=60', 'lwm2m=1.2', 'pid=oma:lamp'])).toBe('4.09');
  });

  it('an update and a deregistration of an unknown device: 4.04', async () => {
    expect(await post(['rd', newId()], [])).toBe('4.04');
    expect(formatCode((await stranger.device.request(Code.DELETE, ['rd', newId()], [])).code)).toBe('4.04');
    expect(await post(['dp'], [], Buffer.from('[]'), 110)).toBe('4.04');
  });

  it('other paths and methods: 4.04 and 4.05', async () => {
    expect(await post(['rd', 'a', 'b'], [])).toBe('4.04');
    expect(await post(['nothing'], [])).toBe('4.04');
    expect(formatCode((await stranger.device.request(Code.GET, ['rd'], [])).code)).toBe('4.05');
    const unassigned = 31;
    for (const method of [Code.PUT, Code.FETCH, unassigned])
      expect(formatCode((await stranger.device.request(method, ['nothing'], [])).code)).toBe('4.05');
  });

  it('keeps everything a device says of itself, also when its links come block-wise', async () => {
    const links = Array.from({ length: 200 }, (_, i) => `</3303/${i}>;rt="temperature";obs`).join(',');
    const thing = system.thing(proxy, 'many-links', {
      links: `</lwm2m>;rt="oma.lwm2m";ct="60 110 112",${links.replaceAll('</', '</lwm2m/')},</lwm2m/3/0>`,
      queueMode: true,
      lifetimeSeconds: 120,
      parameters: { sms: '358501234', vendor: 'x' },
    });
    await system.register(thing);
    const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'many-links');
    const queue = { queueMode: true, awakeMs: 93_000 };
    expect(value).toMatchObject({ lifetimeSeconds: 120, lwm2mVersion: '1.1', binding: 'U', ...queue });
    expect(value.item.resources).toHaveLength(201);
    expect(value.item.resources?.[7]).toEqual({ path: '/3303/7', rt: 'temperature', obs: true });
    expect(value.item.resources?.at(-1)).toEqual({ path: '/3/0', obs: false });
  });

  it('LwM2M 1.0: queue mode is part of the binding', async () => {
    const thing = system.thing(proxy, 'old-sleeper', { lwm2mVersion: '1.0', queueMode: true });
    await system.register(thing);
    const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'old-sleeper');
    expect(value).toMatchObject({ lwm2mVersion: '1.0', binding: 'U', queueMode: true });
  });

  it.each([
    ['1.0', false],
    ['1.1', true],
  ])('an update of LwM2M %s with another binding and without Q: queue mode is %s', async (lwm2mVersion, queueMode) => {
    const thing = system.thing(proxy, `rebound-${lwm2mVersion}`, { lwm2mVersion, queueMode: true });
    const deviceId = await system.register(thing);
    const path = ['rd', thing.device.registrationId ?? ''];
    expect(formatCode((await thing.device.request(Code.POST, path, ['b=UT'])).code)).toBe('2.04');
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'updated');
    expect(value).toMatchObject({ binding: 'UT', queueMode });
  });

  it('an update changes lifetime and links, and moves the device to its new address', async () => {
    const thing = system.thing(proxy, 'mover');
    const deviceId = await system.register(thing);
    thing.device.resources.set('/3304/0/5700', { read: () => 40 });
    await thing.device.open({ newAddress: true });
    await thing.device.update({ lifetimeSeconds: 600, links: true });
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'updated');
    expect(value).toMatchObject({
      lifetimeSeconds: 600,
      address: `127.0.0.1:${thing.device.localPort}`,
      sessionId: thing.device.registrationId,
    });
    expect(value.item.resources?.map((r) => r.path)).toContain('/3304/0');
  });

  it('Send stores each resource on its own', async () => {
    const thing = system.thing(proxy, 'sender');
    const deviceId = await system.register(thing);
    await thing.device.send([
      ['/3303/0/5700', 19.5],
      ['/3/0/0', 'Lanyard'],
    ]);
    const sent = await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === '/3303/0/5700');
    expect(sent).toMatchObject({
      audience: '',
      value: { cause: 'send', item: { ct: 'text/plain', payload: b64('19.5') } },
    });
    const name = await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === '/3/0/0');
    expect(name.value.item.payload).toBe(b64('Lanyard'));
    const send = async (text: string, contentFormat: number): Promise<string> => {
      const body = { payload: Buffer.from(text), contentFormat };
      return formatCode((await thing.device.request(Code.POST, ['dp'], [], body)).code);
    };
    expect(await send('{', 110)).toBe('4.00');
    expect(await send('x', 0)).toBe('4.15');
  });

  it('a deregistration ends the session and is a fact', async () => {
    const thing = system.thing(proxy, 'leaver');
    const deviceId = await system.register(thing);
    await thing.device.deregister();
    const { value, audience } = await system.fact(
      system.sessions,
      (v) => v.deviceId === deviceId && v.change === 'deregistered',
    );
    expect([value.item, value.reason, audience]).toEqual([{ ep: deviceId }, 'device', '*']);
    await expect(thing.device.send([['/3/0/0', 'x']])).rejects.toThrow('4.04');
  });

  it('a second registration of the same endpoint replaces the first, with a higher epoch', async () => {
    const thing = system.thing(proxy, 'twice');
    const deviceId = await system.register(thing);
    const first = thing.device.registrationId as string;
    expect(await system.register(thing)).toBe(deviceId);
    expect(await post(['rd', first], [])).toBe('4.04');
    const epochs = system.sessions.filter(({ value }) => value.deviceId === deviceId).map(({ value }) => value.epoch);
    expect(epochs[1]).toBeGreaterThan(epochs[0] as number);
  });
});

describe('who may register', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('admission', { autoCreateDevices: false });
    proxy = await system.proxy('dp-0');
  });
  beforeEach(() => {
    system.registryRuns = true;
  });
  afterAll(() => system.close());

  it('an unknown endpoint is refused with 4.03 where accounts create no devices', async () => {
    await expect(system.thing(proxy, 'unknown').device.register()).rejects.toThrow('4.03');
  });

  it('an unknown endpoint is told to retry while its account is not known', async () => {
    const early = await system.proxy('dp-early', { accountId: newId() });
    await expect(system.thing(early, 'early').device.register()).rejects.toThrow('5.03');
  });

  it('a device of the directory gets its id', async () => {
    const deviceId = newId();
    await system.lifecycle(deviceId, 'known', 'created');
    const thing = system.thing(proxy, 'known');
    await eventually(() => thing.device.register());
    const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'known');
    expect([value.deviceId, value.firstContact]).toEqual([deviceId, false]);
  });

  it('first contact gives an endpoint one id, until the directory gives its name to another', async () => {
    await system.account(true);
    const thing = system.thing(proxy, 'newcomer');
    await eventually(() => thing.device.register());
    const minted = (await system.fact(system.sessions, (v) => v.endpointName === 'newcomer')).value;
    const contact = await system.fact(system.contacts, (v) => v.endpointName === 'newcomer');
    expect(contact.value.deviceId).toBe(minted.deviceId);
    expect(await system.register(thing)).toBe(minted.deviceId);

    const other = newId();
    await system.lifecycle(other, 'newcomer', 'created');
    await system.lifecycle(minted.deviceId, 'newcomer', 'deleted');
    const gone = await system.fact(
      system.sessions,
      (v) => v.deviceId === minted.deviceId && v.change === 'deregistered',
    );
    expect(gone.value.reason).toBe('deleted');
    await eventually(async () => expect(await system.register(thing)).toBe(other));
  });

  it('a new device registers only once the directory has it; until then it is told to retry', async () => {
    system.registryRuns = false;
    const thing = system.thing(proxy, 'early-bird');
    await expect(thing.device.register()).rejects.toThrow('5.03');
    const { deviceId } = (await system.fact(system.contacts, (v) => v.endpointName === 'early-bird')).value;
    expect(system.sessions.filter(({ value }) => value.endpointName === 'early-bird')).toEqual([]);
    system.registryRuns = true;
    let asked = 0;
    await eventually(() => {
      asked++;
      return thing.device.register();
    });
    await system.fact(system.sessions, (v) => v.endpointName === 'early-bird');
    const told = (facts: { value: { endpointName: string } }[]): unknown[] =>
      facts.filter(({ value }) => value.endpointName === 'early-bird').map(({ value }) => value);
    expect(new Set(told(system.contacts).map((contact) => (contact as { deviceId: string }).deviceId)).size).toBe(1);
    // On a busy machine, it may be told to retry once more, and the directory has it then.
    expect(told(system.sessions)).toMatchObject([{ deviceId, ...(asked === 1 && { firstContact: true }) }]);
  });

  it('a new device whose name the directory gave to another one is that one', async () => {
    system.registryRuns = false;
    const thing = system.thing(proxy, 'overtaken');
    const coming = Promise.allSettled([thing.device.register()]);
    const minted = (await system.fact(system.contacts, (v) => v.endpointName === 'overtaken')).value.deviceId;
    const other = newId();
    await system.lifecycle(other, 'overtaken', 'created');
    await system.lifecycle(minted, 'overtaken', 'deleted');
    // Two partitions: the end of the first id may be known before the other one.
    const [first] = await coming;
    if (first.status === 'rejected') await eventually(() => thing.device.register());
    system.registryRuns = true;
    const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'overtaken');
    expect([value.deviceId, value.firstContact]).toEqual([other, false]);
  });

  it('the former name of a device that came by itself and was renamed becomes that of a new device', async () => {
    await system.account(true);
    const renamed = newId();
    await system.rows(
      `INSERT INTO device_proxy.first_contacts (account_id, endpoint_name, device_id, created_at)
       VALUES ('${system.accountId}', 'former', '${renamed}', now())`,
    );
    await system.lifecycle(renamed, 'latter', 'changed');
    await system.knows(proxy, 'latter');
    const thing = system.thing(proxy, 'former');
    const deviceId = await system.register(thing);
    expect(deviceId).not.toBe(renamed);
    expect(await system.register(thing)).toBe(deviceId);
    expect(await system.register(system.thing(proxy, 'latter'))).toBe(renamed);
  });

  it('a device that was deleted comes back under a new id', async () => {
    const thing = system.thing(proxy, 'phoenix');
    const first = await system.register(thing);
    await system.lifecycle(first, 'phoenix', 'created');
    await system.lifecycle(first, 'phoenix', 'deleted');
    await system.fact(system.sessions, (v) => v.deviceId === first && v.change === 'deregistered');
    await eventually(async () => expect(await system.register(thing)).not.toBe(first));
  });
});
