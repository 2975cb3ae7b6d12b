import { Code } from '@lanyard/coap';
import type { Identity } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawDevice } from './raw-device.js';
import type { RunningProxy } from './running-proxy.js';
import { b64, temperature } from './subscription-test.js';
import { newKey, type Reply, TestSystem } from './test-system.js';

describe('/v2/subscriptions', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('presubscriptions');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  const put = (app: Identity, rules: unknown): Promise<Reply> =>
    system.call(proxy, app, 'PUT', '/v2/subscriptions', rules);

  it('202 stores the rules of the key, GET shows and DELETE removes them', async () => {
    const app = newKey(system.accountId);
    const rules = [{ 'endpoint-type': 'lamp', 'resource-path': ['/3311/*'] }];
    expect(await system.call(proxy, app, 'GET', '/v2/subscriptions')).toMatchObject({ status: 200, json: [] });
    expect(await put(app, rules)).toMatchObject({ status: 202, text: '' });
    expect((await system.call(proxy, app, 'GET', '/v2/subscriptions')).json).toEqual(rules);
    expect(await system.call(proxy, app, 'DELETE', '/v2/subscriptions')).toMatchObject({ status: 204 });
    expect((await system.call(proxy, app, 'GET', '/v2/subscriptions')).json).toEqual([]);
  });

  it('204 instead of 202 in an account that asked for it', async () => {
    const app = newKey(system.accountId);
    const rules = [{ 'endpoint-type': 'lamp' }];
    await system.account(true, undefined, { presubscriptionsNoContent: true });
    await eventually(async () => expect(await put(app, rules)).toMatchObject({ status: 204, text: '' }));
    expect((await system.call(proxy, app, 'GET', '/v2/subscriptions')).json).toEqual(rules);
    await system.account(true);
    await eventually(async () => expect((await put(app, rules)).status).toBe(202));
  });

  it('every change is told to the event log once, with its actor; the end of the key is not', async () => {
    const app = newKey(system.accountId);
    const change = (method: string, rules?: unknown): Promise<Reply> =>
      system.call(proxy, app, method, '/v2/subscriptions', rules, { 'x-request-id': 'asked-by-test' });
    const [lamps, meters] = [{ 'endpoint-type': 'lamp' }, { 'endpoint-name': 'told-*' }];
    for (const rules of [[lamps], [lamps], [lamps, meters]]) await change('PUT', rules);
    expect((await change('PUT', [{ colour: 'red' }])).status).toBe(400);
    for (const _ of ['once', 'again']) await change('DELETE');
    await change('PUT', [meters]);
    const told = (): unknown[] =>
      system.events
        .filter(({ value }) => value.data?.['target_id'] === app.keyId)
        .map(({ value }) => [value.eventCode, value.data?.['rules_count']]);
    const expected = [
      ['SYS_585', '1'],
      ['SYS_585', '2'],
      ['SYS_586', '0'],
      ['SYS_585', '1'],
    ];
    await eventually(() => expect(told()).toEqual(expected));
    expect(system.events.find(({ value }) => value.data?.['target_id'] === app.keyId)?.value).toMatchObject({
      accountId: app.accountId,
      data: {
        target: 'presubscriptions',
        actor_key_id: app.keyId,
        actor_account_id: app.accountId,
        request_id: 'asked-by-test',
      },
    });
    await system.keyGone(app.keyId, 'deleted');
    await eventually(async () => expect((await change('GET')).json).toEqual([]));
    const last = newKey(system.accountId);
    await put(last, [lamps]);
    await system.fact(system.events, (v) => v.data?.['target_id'] === last.keyId);
    expect(told()).toEqual(expected);
  });

  it.each([
    [{ 'resource-path': ['/3/0'] }, 'MALFORMED_JSON_CONTENT'],
    [[{ 'resource-path': ['/3/*/0'] }], 'BAD_REQUEST'],
    [[{ 'resource-path': ['/3303/0/65535'] }], 'BAD_REQUEST'],
    [[{ 'resource-path': ['/3303/0/05700'] }], 'BAD_REQUEST'],
    [[{ 'endpoint-name': '' }], 'BAD_REQUEST'],
    [[{ colour: 'red' }], 'MALFORMED_JSON_CONTENT'],
  ])('400 for %j: %s', async (rules, text) => {
    expect(await put(newKey(system.accountId), rules)).toMatchObject({ status: 400, text });
  });

  it('applies rules when a device registers, after its answer; values come for the keys that matched', async () => {
    const [meters, others] = [newKey(system.accountId), newKey(system.accountId)];
    await put(meters, [{ 'endpoint-name': 'meter-*', 'resource-path': [temperature] }]);
    await put(others, [{ 'endpoint-type': 'lamp' }]);
    const thing = system.thing(proxy, 'meter-1');
    const deviceId = await system.register(thing);
    await eventually(() => thing.device.isObserved(temperature));
    const first = await system.fact(system.values, (v) => v.deviceId === deviceId);
    expect(first.audience).toBe(meters.keyId);
    await eventually(() =>
      expect(
        system.subscriptions
          .filter(({ value }) => value.deviceId === deviceId)
          .map(({ value }) => [value.status, value.origin]),
      ).toEqual([
        ['asked', 'presubscription'],
        ['confirmed', 'presubscription'],
      ]),
    );
    await system.register(thing);
    await eventually(() => thing.device.isObserved(temperature));
  });

  it('a key whose rule comes to match what is observed already gets its present value too', async () => {
    const [one, two] = [newKey(system.accountId), newKey(system.accountId)];
    const rules = [{ 'endpoint-name': 'joined', 'resource-path': [temperature] }];
    await put(one, rules);
    const thing = system.thing(proxy, 'joined');
    const deviceId = await system.register(thing);
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.audience.includes(one.keyId));
    await put(two, rules);
    await thing.device.update();
    const joined = await system.fact(system.values, (v) => v.deviceId === deviceId && v.audience.includes(two.keyId));
    expect(joined.value).toMatchObject({
      cause: 'notify',
      item: { path: temperature, payload: b64('21.5') },
      audience: [two.keyId],
    });
    const states = (): unknown[] =>
      system.subscriptions.filter(({ value }) => value.keyId === two.keyId).map(({ value }) => value.status);
    await eventually(() => expect(states()).toEqual(['asked', 'confirmed']));
    expect(thing.device.received.map(({ path, observe }) => [path, observe])).toEqual([
      [temperature, 0],
      [temperature, undefined],
    ]);
    await thing.device.report(temperature, 22);
    const { value } = await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === b64('22'));
    expect(new Set(value.audience)).toEqual(new Set([one.keyId, two.keyId]));
  });

  it('a key whose rule still waits for a value gets the one that another key subscribes with', async () => {
    const [one, two, caller] = [newKey(system.accountId), newKey(system.accountId), newKey(system.accountId)];
    const rules = [{ 'endpoint-name': 'not-ready', 'resource-path': [temperature] }];
    await put(one, rules);
    const device = await RawDevice.registered(proxy.coapPort, 'not-ready', '</3303/0>');
    try {
      device.onObserve = (request) => device.answer(request, { number: 1, payload: '20', format: 0 });
      const { deviceId } = (await system.fact(system.sessions, (v) => v.endpointName === 'not-ready')).value;
      const valueOf = ({ keyId }: Identity) =>
        system.fact(system.values, (v) => v.deviceId === deviceId && v.audience.includes(keyId));
      await valueOf(one);
      await put(two, rules);
      const refused = new Promise<void>((resolve) => {
        device.onRequest = (request) => {
          device.refuse(request, Code.ServiceUnavailable);
          resolve();
        };
      });
      device.update(100);
      await refused;
      device.onRequest = (request) => device.respond(request, '21');
      await system.subscribe(proxy, caller, deviceId, temperature);
      const { value } = await valueOf(two);
      expect([value.item.payload, new Set(value.audience)]).toEqual([b64('21'), new Set([two.keyId, caller.keyId])]);
    } finally {
      device.close();
    }
  });

  it('observes again, without another message, what could not be stored the first time', async () => {
    const app = newKey(system.accountId);
    const result = '/5/0/5';
    await put(app, [{ 'endpoint-name': 'unstored', 'resource-path': [result] }]);
    // A result of an update is noted in the database before it goes to Kafka: there it waits, and fails.
    const unlock = await system.holdRows('LOCK TABLE device_proxy.firmware_reports IN ACCESS EXCLUSIVE MODE');
    const device = await RawDevice.registered(proxy.coapPort, 'unstored', '</5/0>');
    try {
      const text = 0;
      const asked = new Set<string>();
      device.onObserve = (request) => {
        // The same request, sent again, has the same token.
        asked.add(request.token.toString('hex'));
        device.answer(request, { number: 10, payload: String(asked.size), format: text });
      };
      const waiting = `FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%firmware_reports%'`;
      await eventually(async () => expect(await system.rows(`SELECT pid ${waiting}`)).toHaveLength(1));
      expect(asked.size).toBe(1);
      expect(await system.rows(`SELECT pg_terminate_backend(pid) ${waiting}`)).toHaveLength(1);
      await unlock();
      await eventually(() => expect(asked.size).toBeGreaterThan(1));
      const of = await system.fact(system.values, (v) => v.endpointName === 'unstored');
      expect(Number(Buffer.from(of.value.item.payload, 'base64'))).toBeGreaterThan(1);
    } finally {
      device.close();
    }
  });

  it('asks again what was not answered when the device sends another message, not at its next update', async () => {
    const app = newKey(system.accountId);
    await put(app, [{ 'endpoint-name': 'unanswered', 'resource-path': [temperature] }]);
    const device = await RawDevice.registered(proxy.coapPort, 'unanswered', '</3303/0>');
    try {
      const { value: registration } = await system.fact(system.sessions, (v) => v.endpointName === 'unanswered');
      const asked = new Set<string>();
      device.onObserve = (request) => {
        asked.add(request.token.toString('hex'));
        if (asked.size === 1) device.answerUnusably(request);
        else device.answer(request, { number: 1, payload: '20', format: 0 });
      };
      device.onRequest = (request) => device.respond(request, '20');
      await eventually(() => expect(asked.size).toBe(1));
      const request = `/v2/device-requests/${registration.deviceId}?async-id=unanswered`;
      await system.call(proxy, app, 'POST', request, { method: 'GET', uri: temperature });
      expect((await system.result('unanswered')).value.item.status).toBe(200);
      await eventually(() => expect(asked.size).toBe(2));
      await system.fact(system.values, (v) => v.deviceId === registration.deviceId && v.audience.includes(app.keyId));
    } finally {
      device.close();
    }
  });

  it('new rules wait for the next update (spec §4.4 rule 2); an object wildcard observes the instances', async () => {
    const app = newKey(system.accountId);
    await put(newKey(system.accountId), [{ 'endpoint-name': 'wild', 'resource-path': ['/3341/0/5527'] }]);
    const thing = system.thing(proxy, 'wild');
    const deviceId = await system.register(thing);
    // Its registration has applied the rules that there were.
    await eventually(() => thing.device.isObserved('/3341/0/5527'));
    /** A command that comes later is carried out: what the proxy does at once has reached the device. */
    const commanded = async (asyncId: string): Promise<void> => {
      const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
      await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' });
      expect((await system.result(asyncId)).value.outcome).toBe('succeeded');
    };
    await put(app, [{ 'endpoint-name': deviceId, 'resource-path': ['/3303/*'] }]);
    await commanded('wild-1');
    expect(thing.device.isObserved('/3303/0')).toBe(false);
    await thing.device.update();
    await eventually(() => thing.device.isObserved('/3303/0'));
    const { value } = await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === '/3303/0');
    expect([value.item.ct, value.audience]).toEqual(['application/vnd.oma.lwm2m+tlv', [app.keyId]]);
    await put(app, []);
    await commanded('wild-2');
    expect(thing.device.isObserved('/3303/0')).toBe(true);
    await thing.device.update();
    await eventually(() => !thing.device.isObserved('/3303/0'));
  });
});
