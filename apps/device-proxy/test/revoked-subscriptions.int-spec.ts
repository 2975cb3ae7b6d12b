import { type Identity, newId, type Timer } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lateRequestsMs } from '../src/subscriptions/keys.js';
import { ReplicaTime } from './replica-time.js';
import type { RunningProxy } from './running-proxy.js';
import { b64, TestSystem, newKey, type Reply } from './test-system.js';

const temperature = '/3303/0/5700';

/** The time of a replica at which the second look at changed keys waits for `pass`. */
class HeldTime extends ReplicaTime {
  private readonly held: (() => void)[] = [];

  override after(delayMs: number, work: () => void): Timer {
    if (delayMs !== lateRequestsMs) return super.after(delayMs, work);
    this.held.push(work);
    return { cancel: () => undefined };
  }

  pass(): void {
    for (const work of this.held.splice(0)) work();
  }
}

describe('a key that loses the permission for subscriptions', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('revoked-subscriptions');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  const key = (permissions = ['devices']): Identity => ({ ...newKey(system.accountId), permissions });
  const administrator = (): Identity => key(['admin']);
  const call = (app: Identity, method: string, path: string, body?: unknown): Promise<Reply> =>
    system.call(proxy, app, method, path, body);
  const subscribed = async (app: Identity, name: string): Promise<[Thermometer, string]> => {
    const thing = system.thing(proxy, name);
    const deviceId = await system.register(thing);
    await system.subscribe(proxy, app, deviceId, temperature);
    return [thing, deviceId];
  };

  it.each<[string, string[], string[]]>([
    ['of its own', ['subscriptions'], ['notifications']],
    ['that came with devices', ['devices', 'notifications'], ['commands', 'devices.read']],
  ])('%s: its subscriptions and rules end, and giving it back restores neither', async (name, before, after) => {
    const [app, other] = [key(before), key()];
    await system.key(app.keyId, { permissions: before });
    const [thing, deviceId] = await subscribed(app, `revoked ${name}`);
    await system.subscribe(proxy, other, deviceId, '/3341/0/5527');
    await call(app, 'PUT', '/v2/subscriptions', [{ 'resource-path': ['/3303/*'] }]);
    await system.key(app.keyId, { permissions: after, revision: 3 });
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(false));
    expect(thing.device.isObserved('/3341/0/5527')).toBe(true);
    await eventually(async () => expect((await call(app, 'GET', '/v2/subscriptions')).json).toEqual([]));
    await system.key(app.keyId, { permissions: before, revision: 4 });
    expect((await call(app, 'GET', `/v2/subscriptions/${deviceId}`)).status).toBe(404);
    await system.subscribe(proxy, app, deviceId, temperature);
  });

  it('no value is for it from then on, also while PostgreSQL does not let its subscriptions be removed', async () => {
    const [app, other] = [key(['subscriptions']), key()];
    await system.key(app.keyId, { permissions: ['subscriptions'] });
    const [thing, deviceId] = await subscribed(app, 'revoked at once');
    await call(other, 'PUT', `/v2/subscriptions/${deviceId}${temperature}`);
    const unlock = await system.holdRows('LOCK TABLE device_proxy.presubscriptions IN ACCESS EXCLUSIVE MODE');
    await system.key(app.keyId, { permissions: [], revision: 3 });
    let value = 40;
    await eventually(async () => {
      await thing.device.report(temperature, ++value);
      const { value: told } = await system.fact(
        system.values,
        (v) => v.deviceId === deviceId && v.item.payload === b64(String(value)),
      );
      expect(told.audience).toEqual([other.keyId]);
    });
    await unlock();
    await eventually(async () => expect((await call(app, 'GET', `/v2/subscriptions/${deviceId}`)).status).toBe(404));
    expect(thing.device.isObserved(temperature)).toBe(true);
  });

  it('what it lost while no replica ran ends at the next start', async () => {
    const app = key();
    const [, deviceId] = await subscribed(app, 'revoked meanwhile');
    await system.stop(proxy);
    await system.key(app.keyId, { permissions: ['notifications'], revision: 3 });
    proxy = await system.proxy('dp-0');
    await eventually(async () => expect((await call(app, 'GET', `/v2/subscriptions/${deviceId}`)).status).toBe(404));
  });

  it('what it asks for through replicas of the gateway that still know it ends a moment later', async () => {
    const time = new HeldTime();
    const other = await system.proxy('dp-1', { clock: time });
    const app = key();
    await system.key(app.keyId, { permissions: app.permissions });
    const rules = async (method: string, body?: unknown): Promise<Reply> =>
      system.call(other, app, method, '/v2/subscriptions', body);
    const none = (): Promise<void> => eventually(async () => expect((await rules('GET')).json).toEqual([]));
    await rules('PUT', [{ 'endpoint-type': 'lamp' }]);
    await system.key(app.keyId, { status: 'deleted', revision: 3 });
    await none();
    expect((await rules('PUT', [{ 'endpoint-type': 'lamp' }])).status).toBe(202);
    time.pass();
    await none();
    await system.stop(other);
  });

  describe('its waiting commands', () => {
    const command = { method: 'POST', uri: '/3/0/4' };
    const sent = async (app: Identity, name: string): Promise<void> => {
      const deviceId = newId();
      await system.lifecycle(deviceId, name, 'created');
      await system.knows(proxy, name);
      await system.key(app.keyId, { permissions: app.permissions });
      const { status } = await call(app, 'POST', `/v2/device-requests/${deviceId}?async-id=${name}`, command);
      expect(status).toBe(202);
    };
    const cancelled = { outcome: 'failed', item: { status: 429, error: 'REQUEST_CANCELLED' } };

    it('are cancelled when it is deleted, and stay when it is switched off', async () => {
      const [deleted, off] = [key(), key()];
      await sent(deleted, 'of-a-deleted-key');
      await sent(off, 'of-a-key-that-is-off');
      await call(off, 'PUT', '/v2/subscriptions', [{ 'endpoint-type': 'lamp' }]);
      await system.keyGone(off.keyId, 'inactive');
      await system.keyGone(deleted.keyId, 'deleted');
      expect((await system.result('of-a-deleted-key')).value).toMatchObject(cancelled);
      await eventually(async () => expect((await call(off, 'GET', '/v2/subscriptions')).json).toEqual([]));
      expect((await call(off, 'GET', '/v3/device-requests/of-a-key-that-is-off')).json['state']).toBe('waiting');
    });

    it('are cancelled at the next start when it was deleted while no replica ran', async () => {
      const app = key();
      await sent(app, 'of-a-key-deleted-meanwhile');
      await system.stop(proxy);
      await system.keyGone(app.keyId, 'deleted');
      proxy = await system.proxy('dp-0');
      expect((await system.result('of-a-key-deleted-meanwhile')).value).toMatchObject(cancelled);
    });
  });

  it('it cannot observe with a device request either', async () => {
    const [, deviceId] = await subscribed(key(), 'revoked composite');
    const body = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': b64(`[{"n":"${temperature}"}]`) };
    const path = `/v2/device-requests/${deviceId}?async-id=${newId()}`;
    expect((await call(key(['commands']), 'POST', path, body)).status).toBe(403);
    expect((await call(key(['commands', 'subscriptions']), 'POST', path, body)).status).toBe(202);
  });

  it('an administrator sees the subscriptions of each key of the account, and removes them', async () => {
    const app = key();
    const [thing, deviceId] = await subscribed(app, 'administered');
    await call(app, 'PUT', `/v2/subscriptions/${deviceId}/3341/0/5527`);
    const rules = [{ 'endpoint-type': 'lamp' }];
    await call(app, 'PUT', '/v2/subscriptions', rules);
    const [mine, second] = [`/v3/key-subscriptions/${app.keyId}`, key()];
    await call(second, 'PUT', '/v2/subscriptions', rules);
    const record = {
      id: app.keyId,
      object: 'key-subscriptions',
      presubscriptions: rules,
      subscriptions_count: 2,
      devices_count: 1,
    };
    expect(await call(administrator(), 'GET', mine)).toMatchObject({ status: 200, json: record });
    const list = (await call(administrator(), 'GET', '/v3/key-subscriptions?include=total_count&limit=1000')).json;
    const ids = (list['data'] as { id: string }[]).map(({ id }) => id);
    expect(list['data']).toContainEqual(record);
    expect(ids).toEqual([...ids].sort());
    expect(list['total_count']).toBe(ids.length);
    const page = await call(administrator(), 'GET', `/v3/key-subscriptions?limit=2&after=${ids[0]}`);
    expect((page.json['data'] as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(1, 3));

    const stranger = { ...administrator(), accountId: newId() };
    for (const method of ['GET', 'DELETE']) {
      expect((await call(stranger, method, mine)).status).toBe(404);
      expect((await call(app, method, mine)).status).toBe(403);
    }
    expect((await call(stranger, 'GET', '/v3/key-subscriptions')).json['data']).toEqual([]);
    expect((await call(administrator(), 'DELETE', mine)).status).toBe(204);
    await eventually(() => expect(thing.device.isObserved(temperature)).toBe(false));
    expect((await call(administrator(), 'GET', mine)).status).toBe(404);
    expect((await call(app, 'GET', '/v2/subscriptions')).json).toEqual([]);
    const told = await system.fact(
      system.events,
      (v) => v.data?.['target_id'] === app.keyId && v.eventCode === 'SYS_586',
    );
    expect(told.value.accountId).toBe(system.accountId);
  });

  it('an administrator sees keys with large rules on several pages', async () => {
    const accountId = newId();
    const of = (permissions: string[]): Identity => ({ ...newKey(accountId), permissions });
    // 15 bytes each in the request, 16 in PostgreSQL.
    const rules = [{ 'resource-path': Array.from({ length: 45_000 }, () => temperature) }];
    for (let n = 0; n < 6; n++)
      expect((await call(of(['subscriptions']), 'PUT', '/v2/subscriptions', rules)).status).toBe(202);
    const page = async (after = ''): Promise<[ids: string[], hasMore: unknown]> => {
      const { json } = await call(of(['admin']), 'GET', `/v3/key-subscriptions?limit=1000${after}`);
      return [(json['data'] as { id: string }[]).map(({ id }) => id), json['has_more']];
    };
    const [first, hasMore] = await page();
    const [rest, hasMoreThen] = await page(`&after=${first.at(-1)}`);
    expect([first.length, hasMore, rest.length, hasMoreThen]).toEqual([5, true, 1, false]);
  });
});
