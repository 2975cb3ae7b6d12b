import { type Identity, newId } from '@lanyard/service';
import { eventually, SecureDevice, TestClock, withKey } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admitRetryPauseMs, directDeviceRetryPauseMs } from '../src/lwm2m-gateways/limits.js';
import { SessionFacts } from '../src/sessions/session-facts.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex } from './secure-test-system.js';
import { temperature, TestLwm2mGateway } from './test-lwm2m-gateway.js';
import { newKey, TestSystem } from './test-system.js';

describe('a device that changes between a gateway and a registration of its own', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let app: Identity;

  beforeAll(async () => {
    system = await TestSystem.create('changing-gateways');
    proxy = await system.proxy('dp-0', { dtls: {} });
    app = newKey(system.accountId);
  });
  const itself = new SecureDevice('leaving-one', {});
  afterAll(async () => {
    await itself.close();
    await system.close();
  });

  let calls = 0;
  /** What the device answers as its temperature. */
  const read = async (deviceId: string, to = proxy): Promise<string> => {
    const uri = `/v2/device-requests/${deviceId}?async-id=c${++calls}&wait=60`;
    const { json } = await system.call(to, app, 'POST', uri, { method: 'GET', uri: temperature });
    return Buffer.from(String(json['payload']), 'base64').toString();
  };
  const epochOf = async (deviceId: string): Promise<number> => Number((await system.storedSession(deviceId)).epoch);
  const refused = (gateway: TestLwm2mGateway, text: string) =>
    system.fact(system.events, (v) => v.deviceId === gateway.deviceId && (v.description ?? '').includes(text));
  const newGateway = async (name: string, child = `${name}-first`, replica = proxy): Promise<TestLwm2mGateway> => {
    const gateway = new TestLwm2mGateway(system, replica, name);
    gateway.add(0, child);
    await gateway.register();
    // Its list is observed from here on.
    await gateway.idOf(child);
    return gateway;
  };
  /** It is registered by itself, and the operator puts it behind the gateway that lists it. */
  const putBehind = async (gateway: TestLwm2mGateway, name: string, replica = proxy) => {
    const thing = system.thing(replica, name);
    const deviceId = await system.register(thing);
    gateway.add(1, name);
    await system.lifecycle(deviceId, name, 'changed', { hostGateway: gateway.deviceId });
    await gateway.reportList();
    await refused(gateway, 'registered by itself');
    return { deviceId, thing };
  };

  it('leaves with a credential of its own, and returns when that is withdrawn', async () => {
    const gateway = await newGateway('leaving', 'leaving-one');
    const deviceId = await gateway.idOf('leaving-one');
    const credentialId = await system.credential({ deviceId, identity: 'id-leaving', key: keyHex });
    await eventually(() => itself.connect(proxy.dtlsPort, withKey('id-leaving', keyHex)));
    expect(await itself.register()).toBe('2.01');
    const epoch = await epochOf(deviceId);
    expect((await system.storedSession(deviceId)).address).toMatch(/^coaps:/);
    // The gateway speaks for it no longer.
    await refused(gateway, 'credential of its own');
    await gateway.device.send([
      [`/p0${temperature}`, 90.5],
      [temperature, 91.5],
    ]);
    const b64 = (text: string): string => Buffer.from(text).toString('base64');
    await system.fact(system.values, (v) => v.item.payload === b64('91.5'));
    expect(await epochOf(deviceId)).toBe(epoch);
    await system.withdraw(credentialId);
    await gateway.idOf('leaving-one', epoch);
    expect(await read(deviceId)).toBe('20');
    await gateway.device.send([[`/p0${temperature}`, 92.5]]);
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64('92.5'));
    expect(system.values.map(({ value }) => value.item.payload)).not.toContain(b64('90.5'));
  });

  it('comes when it has deregistered, and registers again when the gateway does not list it any more', async () => {
    const gateway = await newGateway('coming');
    const { deviceId, thing } = await putBehind(gateway, 'coming-one');
    const epoch = await epochOf(deviceId);
    await thing.device.deregister();
    await gateway.idOf('coming-one', epoch);
    expect(await read(deviceId)).toBe('21');
    await expect(thing.device.register()).rejects.toMatchObject({ code: '4.03' });
    gateway.remove(1);
    await gateway.reportList();
    await eventually(async () => expect(await system.storedSession(deviceId)).toEqual({}));
    await thing.device.register();
    expect((await system.storedSession(deviceId)).address).not.toMatch(/^via:/);
  });

  it('comes from another replica, which cannot say that it has left', async () => {
    const clock = new TestClock(Date.now());
    const slow = await system.proxy('dp-slow', { clock });
    const gateway = await newGateway('distant', undefined, slow);
    const { deviceId, thing } = await putBehind(gateway, 'distant-one');
    const epoch = await epochOf(deviceId);
    await thing.device.deregister();
    await clock.advance(directDeviceRetryPauseMs - 1_000);
    expect(await system.storedSession(deviceId)).toEqual({});
    await clock.advance(1_000);
    await gateway.idOf('distant-one', epoch);
    expect(await read(deviceId, slow)).toBe('21');
  });

  it('has the objects that its gateway lists later, although Kafka did not accept them at first', async () => {
    const gateway = await newGateway('growing');
    const deviceId = await gateway.idOf('growing-first');
    const facts = proxy.app.get(SessionFacts, { strict: false });
    const announce = facts.announceRegistration.bind(facts);
    let isFirst = true;
    facts.announceRegistration = (session, change) => {
      if (session.deviceId !== deviceId || !isFirst) return announce(session, change);
      isFirst = false;
      return Promise.reject(new Error('Kafka is away'));
    };
    gateway.add(0, 'growing-first', 'p0', '</3/0>,</3303/0>,</3342/0>');
    await gateway.reportList();
    const { value } = await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'updated');
    expect(value.item.resources?.map(({ path }) => path)).toEqual(['/3/0', '/3303/0', '/3342/0']);
  });

  it('is tried once after each pause, however often its gateway has listed it', async () => {
    const clock = new TestClock(Date.now());
    const slow = await system.proxy('dp-waiting', { clock });
    const gateway = await newGateway('waiting', undefined, slow);
    const first = await gateway.idOf('waiting-first');
    await system.lifecycle(newId(), 'waiting-one', 'created', { hostGateway: gateway.deviceId });
    await system.knows(slow, 'waiting-one');
    const facts = slow.app.get(SessionFacts, { strict: false });
    const announce = facts.announceRegistration.bind(facts);
    let attempts = 0;
    facts.announceRegistration = (session, change) => {
      if (session.data.endpointName !== 'waiting-one') return announce(session, change);
      attempts++;
      return Promise.reject(new Error('Kafka is away'));
    };
    gateway.add(1, 'waiting-one');
    for (const lists of [1, 2, 3]) {
      await gateway.reportList();
      await eventually(() => expect(attempts).toBe(lists));
      await clock.advance(1_000);
    }
    for (let passedMs = 3_000; passedMs < admitRetryPauseMs + 3_000; passedMs += 1_000) {
      await clock.advance(1_000);
      // Gives an attempt the time to begin.
      expect(await read(first, slow)).toBe('20');
    }
    await eventually(() => expect(attempts).toBe(4));
  });
});
