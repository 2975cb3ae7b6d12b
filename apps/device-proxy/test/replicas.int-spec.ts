import type { CoapMessage } from '@lanyard/coap';
import { eventually, TestClock, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawDevice } from './raw-device.js';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey } from './test-system.js';

const temperature = '/3303/0/5700';

describe('several replicas', () => {
  let system: TestSystem;
  let a: RunningProxy;
  let b: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('replicas');
    [a, b] = await Promise.all([system.proxy('dp-a'), system.proxy('dp-b')]);
  });
  afterAll(() => system.close());

  /** The balancer sends the device to another replica from now on. */
  const reroute = (thing: Thermometer, to: RunningProxy): void =>
    thing.device.talkTo(`coap://127.0.0.1:${to.coapPort}`);

  /** A replica whose clock is a minute fast. */
  const fast = (): Promise<RunningProxy> => system.proxy('dp-fast', { clock: new TestClock(Date.now() + 60_000) });

  it('a subscription asked of one is confirmed by the other within the call', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'sub-elsewhere');
    const deviceId = await system.register(thing);
    // On its clock, the time for which a call waits never ends.
    const patient = await system.proxy('dp-patient', { clock: new TestClock(Date.now()) });
    expect((await system.call(patient, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`)).status).toBe(200);
    await system.stop(patient);
    await thing.device.report(temperature, 31);
    expect((await system.fact(system.values, (v) => v.item.payload === b64('31'))).audience).toBe(app.keyId);
    expect((await system.call(b, app, 'DELETE', `/v2/subscriptions/${deviceId}${temperature}`)).status).toBe(204);
    await eventually(() => !thing.device.isObserved(temperature));
  });

  it('the changes of a subscription are dated in their order, although the clock of one replica is fast', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'sub-fast');
    const deviceId = await system.register(thing);
    const ahead = await fast();
    await system.subscribe(ahead, app, deviceId, temperature);
    await system.stop(ahead);
    const changes = () => system.subscriptions.map(({ value }) => value).filter((v) => v.deviceId === deviceId);
    await eventually(() => expect(changes().map(({ status }) => status)).toEqual(['asked', 'confirmed']));
    const times = changes().map(({ changedAt }) => changedAt);
    expect(times).toEqual(times.toSorted());
  });

  it('a command is accepted after the one before it, although that one was accepted by a fast clock', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'write-fast');
    const deviceId = await system.register(thing);
    const ahead = await fast();
    const written = async (at: RunningProxy, asyncId: string) => {
      const body = { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(asyncId) };
      await system.call(at, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
      return (await system.result(asyncId)).value;
    };
    const first = await written(ahead, 'fast-clock');
    const second = await written(a, 'another-clock');
    await system.stop(ahead);
    expect(second.acceptedAt > first.acceptedAt).toBe(true);
    expect(second.commandId > first.commandId).toBe(true);
  });

  it('rules stored through one apply on the other', async () => {
    const app = newKey(system.accountId);
    await system.call(b, app, 'PUT', '/v2/subscriptions', [
      { 'endpoint-name': 'ruled', 'resource-path': [temperature] },
    ]);
    const thing = system.thing(a, 'ruled');
    await system.register(thing);
    await eventually(() => thing.device.isObserved(temperature));
  });

  it('a notification that arrives at another replica is taken over with its session, not reset', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'wanderer');
    const deviceId = await system.register(thing);
    await system.call(a, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    const first = await system.fact(system.values, (v) => v.deviceId === deviceId);
    reroute(thing, b);
    await thing.device.report(temperature, 32);
    const { value, audience } = await system.fact(system.values, (v) => v.item.payload === b64('32'));
    expect([audience, value.epoch > first.value.epoch]).toEqual([app.keyId, true]);
    await system.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=followed`, {
      method: 'GET',
      uri: temperature,
    });
    expect((await system.result('followed')).value).toMatchObject({ outcome: 'succeeded' });
    reroute(thing, a);
    await thing.device.report(temperature, 33);
    await system.fact(system.values, (v) => v.item.payload === b64('33'));
  });

  it('an update that arrives at another replica takes the session over, and commands follow it', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'switcher');
    const deviceId = await system.register(thing);
    reroute(thing, b);
    await thing.device.update();
    await system.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=switched`, {
      method: 'GET',
      uri: temperature,
    });
    expect((await system.result('switched')).value).toMatchObject({ outcome: 'succeeded' });
    reroute(thing, a);
    await thing.device.send([[temperature, 3]]);
    reroute(thing, b);
    await thing.device.deregister();
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'deregistered');
  });

  it('a restarted replica knows its devices and what they are observed for', async () => {
    const app = newKey(system.accountId);
    let c = await system.proxy('dp-c');
    const thing = system.thing(c, 'survivor');
    const deviceId = await system.register(thing);
    await system.call(c, app, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    await eventually(() => thing.device.isObserved(temperature));
    await system.stop(c);
    const reported = thing.device.report(temperature, 41);
    const waiting = await system.call(a, app, 'POST', `/v2/device-requests/${deviceId}?async-id=survives`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect(waiting.status).toBe(202);
    // At another port: in the meantime any process may have been given the old one.
    c = await system.proxy('dp-c');
    reroute(thing, c);
    await reported;
    expect(await system.fact(system.values, (v) => v.item.payload === b64('41'))).toMatchObject({
      audience: app.keyId,
    });
    expect((await system.result('survives')).value).toMatchObject({ outcome: 'succeeded' });
    await thing.device.report(temperature, 42);
    await thing.device.update();
    await system.fact(system.values, (v) => v.item.payload === b64('42'));
    await system.call(c, app, 'DELETE', `/v2/subscriptions/${deviceId}${temperature}`);
    await eventually(() => !thing.device.isObserved(temperature));
  });

  it.each([
    ['another replica', 'dp-heir'],
    ['the same replica after a restart', 'dp-half'],
  ])('what a replica that ended had not observed yet is observed by %s', async (_, heirId) => {
    const app = newKey(system.accountId);
    const name = `half-observed-by-${heirId}`;
    const paths = [temperature, '/3303/0/5701'];
    await system.call(a, app, 'PUT', '/v2/subscriptions', [{ 'endpoint-name': name, 'resource-path': paths }]);
    const half = await system.proxy('dp-half');
    const device = await RawDevice.registered(half.coapPort, name, '</3303/0>');
    try {
      // The same request, sent again, has the same token.
      const tokens: Buffer[] = [];
      const answer = (request: CoapMessage) => device.answer(request, { number: 1, payload: '20', format: 0 });
      device.onObserve = (request) => {
        if (!tokens.some((token) => token.equals(request.token))) tokens.push(request.token);
        if (tokens[0]?.equals(request.token)) answer(request);
      };
      await eventually(() => expect(tokens).toHaveLength(2));
      await system.stop(half);
      device.onObserve = answer;
      const clock = new TestClock(Date.now());
      const heir = await system.proxy(heirId, { clock });
      device.talkTo(heir.coapPort);
      const [token] = tokens as [Buffer];
      expect(await device.told(token, { number: 2, messageId: 201, payload: '21', format: 0 })).toBe('ACK');
      const confirmed = () =>
        system.subscriptions.flatMap(({ value: { keyId, status, path } }) =>
          keyId === app.keyId && status === 'confirmed' ? [path] : [],
        );
      await eventually(async () => {
        await clock.advance(1_000);
        expect(confirmed().toSorted()).toEqual(paths);
      });
      await system.stop(heir);
    } finally {
      device.close();
    }
  });

  it('what was in flight when a replica died: a read is repeated, an execute is not', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(a, 'in-doubt');
    const deviceId = await system.register(thing);
    let release = (): void => undefined;
    thing.device.beforeAnswer = () => new Promise((resolve) => (release = resolve));
    const path = `/v2/device-requests/${deviceId}?async-id=`;
    await system.call(a, app, 'POST', `${path}doubt-exec`, { method: 'POST', uri: '/3/0/4' });
    await eventually(() => thing.device.received.length === 1);
    // The device shows up elsewhere: for the new owner the execute is in doubt.
    reroute(thing, b);
    await thing.device.update();
    const { value } = await system.result('doubt-exec');
    expect(value.item).toMatchObject({ status: 504, error: 'TIMEOUT' });
    const history = await system.call(a, app, 'GET', '/v3/device-requests/doubt-exec');
    expect(history.json.note).toMatch(/not safe to repeat/);
    release();
    thing.device.beforeAnswer = undefined;
    expect(thing.reboots).toBeLessThanOrEqual(1);
    await system.call(a, app, 'POST', `${path}after-doubt`, { method: 'GET', uri: '/3/0/0' });
    expect((await system.result('after-doubt')).value).toMatchObject({ outcome: 'succeeded' });
  });
});
