import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { createLogger, newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { TestSystem, type Reply } from './test-system.js';
import { Upstream } from './upstream.js';

let gateway: TestSystem;
let registry: Upstream;

beforeAll(async () => {
  registry = await new Upstream().listen();
  gateway = await (
    await TestSystem.corner('tenants')
  ).start({ GATEWAY_REGISTRY_URLS: registry.url, GATEWAY_DEVICE_PROXY_URLS: registry.url });
});
afterAll(async () => {
  await gateway?.stop();
  await registry?.stop();
});

const send = (method: string, path: string, body?: unknown, key?: string): Promise<Reply> =>
  gateway.call(path, { method, body, ...(key !== undefined && { key }) });

const tenant = async (fields: object = {}): Promise<{ id: string; key: string; keyId: string }> => {
  const { status, body } = await send('POST', '/v3/accounts', { display_name: 'Tenant', ...fields });
  expect(status).toBe(201);
  return { id: body.id, key: String(body.admin_key), keyId: String(body.admin_key_id) };
};

describe('/v3/accounts', () => {
  it('POST 201 with the first administrator key, shown once; the tenant has its two groups', async () => {
    const { id, key } = await tenant({ tier: '0', email: 'a@example.com', limits: { devices: 10 } });
    const me = await send('GET', '/v3/accounts/me?include=limits%2C%20policies&properties=', undefined, key);
    expect(me.body).toMatchObject({
      id,
      parent_id: gateway.accountId,
      tier: '0',
      status: 'ACTIVE',
      email: 'a@example.com',
      limits: { devices: '10' },
    });
    expect(JSON.stringify(me.body)).not.toContain(key.slice(-32));
    const groups = (await send('GET', '/v3/policy-groups', undefined, key)).body.data;
    expect(groups.map((group) => group.name).sort()).toEqual(['Administrators', 'Developers']);
    expect((await send('GET', '/v3/api-keys', undefined, key)).body).toMatchObject({ total_count: 1 });
    expect((await send('GET', `/v3/accounts?id__eq=${id}&tier__eq=0`)).body).toMatchObject({ total_count: 1 });
  });

  it('an administrator of a tenant sees, changes and makes no account but its own', async () => {
    const [one, two] = [await tenant(), await tenant()];
    for (const id of [two.id, gateway.accountId, newId()]) {
      const replies = [
        await send('GET', `/v3/accounts/${id}`, undefined, one.key),
        await send('PUT', `/v3/accounts/${id}`, { display_name: 'x' }, one.key),
        await send('GET', `/v3/accounts/${id}/usage`, undefined, one.key),
        await send('GET', `/v3/accounts/${id}/api-keys`, undefined, one.key),
        await send('POST', `/v3/accounts/${id}/api-keys`, { name: 'x' }, one.key),
      ];
      expect(replies.map((reply) => reply.status)).toEqual([403, 403, 403, 403, 403]);
    }
    expect((await send('GET', '/v3/accounts', undefined, one.key)).status).toBe(403);
    expect((await send('POST', '/v3/accounts', { display_name: 'x' }, one.key)).status).toBe(403);
    for (const change of [{ tier: '0' }, { status: 'SUSPENDED' }, { limits: { devices: 5 } }])
      expect((await send('PUT', '/v3/accounts/me', change, one.key)).status).toBe(403);
    const renamed = await send('PUT', '/v3/accounts/me', { display_name: 'Mine' }, one.key);
    expect([renamed.status, renamed.body.display_name]).toEqual([200, 'Mine']);
    expect((await send('GET', `/v3/accounts/${newId()}`)).status).toBe(404);
  });

  it.each(['', false, [], 'ten', 1.5])('a quota of %j is refused', async (devices) => {
    const { id } = await tenant();
    const { status, body } = await send('PUT', `/v3/accounts/${id}`, { limits: { devices } });
    expect([status, body['fields']]).toMatchObject([400, [{ name: 'limits.devices' }]]);
  });

  it('keys and groups of another tenant do not exist', async () => {
    const [one, two] = [await tenant(), await tenant()];
    const group = String((await send('GET', '/v3/policy-groups', undefined, two.key)).body.data[0]?.id);
    const of = (path: string, method = 'GET', body?: unknown): Promise<Reply> => send(method, path, body, one.key);
    const replies = [
      await of(`/v3/api-keys/${two.keyId}`),
      await of(`/v3/api-keys/${two.keyId}`, 'PUT', { name: 'x' }),
      await of(`/v3/api-keys/${two.keyId}`, 'DELETE'),
      await of(`/v3/api-keys/${two.keyId}/reset-secret`, 'POST'),
      await of(`/v3/api-keys/${two.keyId}/rotate`, 'POST'),
      await of(`/v3/api-keys/${two.keyId}/previous-secret`, 'DELETE'),
      await of(`/v3/api-keys/${two.keyId}/groups`),
      await of(`/v3/api-keys/${two.keyId}/groups/add`, 'POST', [group]),
      await of(`/v3/policy-groups/${group}`),
      await of(`/v3/policy-groups/${group}`, 'PUT', { name: 'x' }),
      await of(`/v3/policy-groups/${group}`, 'DELETE'),
      await of(`/v3/policy-groups/${group}/api-keys`),
      await of(`/v3/policy-groups/${group}/api-keys/add`, 'POST', { apikeys: [one.keyId] }),
    ];
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([404]));
    expect((await send('GET', '/v3/accounts/me', undefined, two.key)).status).toBe(200);
  });

  it('the installation helps a tenant that lost its keys', async () => {
    const { id, keyId } = await tenant();
    const keys = await send('GET', `/v3/accounts/${id}/api-keys`);
    expect(keys.body.data.map((key) => key.id)).toEqual([keyId]);
    const resetPath = `/v3/accounts/${id}/api-keys/${keyId}/reset-secret`;
    const outdated = await gateway.call(resetPath, { method: 'POST', headers: { 'if-match': '"other"' } });
    expect([outdated.status, outdated.body['type']]).toEqual([412, 'precondition_failed']);
    const reset = (await send('POST', resetPath)).body.key;
    expect((await send('GET', '/v3/api-keys/me', undefined, reset)).body.id).toBe(keyId);
    const made = await send('POST', `/v3/accounts/${id}/api-keys`, { name: 'second' });
    expect([made.status, made.body.account_id]).toEqual([201, id]);
    const path = `/v3/accounts/${id}/api-keys/${made.body.id}`;
    expect((await send('PUT', path, { name: 'other' })).body.name).toBe('other');
    expect((await send('GET', path)).body.name).toBe('other');
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', `/v3/accounts/${newId()}/api-keys`)).status).toBe(404);
  });

  it('its administrators keep less history, those of the installation also more', async () => {
    const { id, key } = await tenant();
    const change = (value_history: unknown, by?: string): Promise<Reply> =>
      send('PUT', `/v3/accounts/${by === undefined ? id : 'me'}`, { value_history }, by);
    const kept = async (): Promise<unknown> =>
      (await send('GET', '/v3/accounts/me', undefined, key)).body['value_history'];
    expect(await kept()).toEqual({ hours: 24, values: 1_000 });
    expect((await change({ hours: 12 }, key)).body['value_history']).toEqual({ hours: 12, values: 1_000 });
    expect((await change({ hours: 25 }, key)).status).toBe(403);
    expect((await change({ values: 1_001 }, key)).status).toBe(403);
    expect((await change({ hours: 100, values: 5_000 })).status).toBe(200);
    expect((await change({ hours: 0 }, key)).body['value_history']).toEqual({ hours: 0, values: 5_000 });
    expect((await change({ hours: 25 }, key)).status).toBe(403);
    for (const wrong of [{ hours: 745 }, { hours: -1 }, { values: 0 }, { values: 10_001 }, { days: 1 }, 'off'])
      expect([wrong, (await change(wrong)).status]).toEqual([wrong, 400]);
    expect((await change(null, key)).status).toBe(200);
    expect(await kept()).toEqual({ hours: 24, values: 1_000 });
  });

  it('a change is dated after the one before, also if that was made by a replica whose clock is ahead', async () => {
    const { id } = await tenant();
    const ahead = new Date(Date.now() + 60_000);
    await gateway.service.app.get(DataSource).query('UPDATE accounts SET updated_at = $2 WHERE id = $1', [id, ahead]);
    const suspended = await send('PUT', `/v3/accounts/${id}`, { status: 'SUSPENDED' });
    const resumed = await send('PUT', `/v3/accounts/${id}`, { status: 'ACTIVE' });
    const times = [suspended, resumed].map(({ body }) => Date.parse(String(body['updated_at'])));
    expect(times).toEqual([ahead.getTime() + 1, ahead.getTime() + 2]);
  });

  it('suspended: every key is refused and announced as inactive; active again: both back', async () => {
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const { topicPrefix } = gateway.isolation;
    const kafka = new KafkaConnection({ ...gateway.config().kafka, topicPrefix, clientId: 'test', logger });
    const onFatal = (): void => undefined;
    const accounts = new StateReader(kafka, AccessAccounts, { project: (value) => value, onFatal });
    const keys = new StateReader(kafka, AccessKeys, { project: (value) => value, onFatal });
    await Promise.all([accounts.start(), keys.start()]);
    try {
      const { id, key, keyId } = await tenant({ limits: { devices: 3 } });
      await eventually(() => expect(accounts.get(id)).toMatchObject({ status: 'active', devicesMax: 3 }));
      expect(accounts.get(id)?.presubscriptionsNoContent).toBeUndefined();
      const answer = await send('PUT', `/v3/accounts/${id}`, { presubscriptions_no_content: true });
      expect([answer.status, answer.body.presubscriptions_no_content]).toEqual([200, true]);
      await eventually(() => expect(accounts.get(id)?.presubscriptionsNoContent).toBe(true));
      expect(accounts.get(id)?.valueHistory).toBeUndefined();
      await send('PUT', `/v3/accounts/${id}`, { value_history: { hours: 0 } });
      await eventually(() => expect(accounts.get(id)?.valueHistory).toEqual({ hours: 0, values: 1_000 }));
      expect((await send('PUT', `/v3/accounts/${id}`, { status: 'SUSPENDED' })).body.status).toBe('SUSPENDED');
      expect((await send('GET', '/v3/accounts/me', undefined, key)).status).toBe(403);
      await eventually(() => expect(keys.get(keyId)?.status).toBe('inactive'));
      await eventually(() => expect(accounts.get(id)?.status).toBe('suspended'));
      await send('PUT', `/v3/accounts/${id}`, { status: 'ACTIVE', tier: '0', limits: { devices: null } });
      expect((await send('GET', '/v3/accounts/me', undefined, key)).status).toBe(200);
      await eventually(() => expect(keys.get(keyId)).toMatchObject({ status: 'active', tier: 'free' }));
      await eventually(() => {
        expect(accounts.get(id)?.status).toBe('active');
        expect(accounts.get(id)?.devicesMax).toBeUndefined();
      });
    } finally {
      await Promise.all([accounts.stop(), keys.stop()]);
      await kafka.close();
    }
    const own = await send('PUT', `/v3/accounts/${gateway.accountId}`, { status: 'SUSPENDED' });
    expect(own.status).toBe(400);
  });
});

describe('quotas', () => {
  it('403 account_limit_exceeded beyond the number of keys', async () => {
    const { key } = await tenant({ limits: { api_keys: '2' } });
    expect((await send('POST', '/v3/api-keys', { name: 'x' }, key)).status).toBe(201);
    const { status, body } = await send('POST', '/v3/api-keys', { name: 'x' }, key);
    expect([status, body.type]).toEqual([403, 'account_limit_exceeded']);
  });

  it('all keys of an account share its rate; another tenant is not slowed', async () => {
    const perSecond = 2;
    const [busy, quiet] = [await tenant({ limits: { requests_per_second: perSecond } }), await tenant()];
    const second = (await send('POST', '/v3/api-keys', { name: 'x' }, busy.key)).body.key;
    const startedMs = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => send('GET', '/v3/accounts/me', undefined, i % 2 ? busy.key : second)),
    );
    const passed = replies.filter((reply) => reply.status === 200).length;
    const burst = 5;
    // A slow machine takes seconds for them, in which the account may send more: all of them in 17 s.
    expect(passed).toBeLessThanOrEqual(burst + (perSecond * (performance.now() - startedMs)) / 1_000);
    expect(replies.find((reply) => reply.status === 429)?.body.type).toBe('rate_limit_exceeded');
    expect((await send('GET', '/v3/accounts/me', undefined, quiet.key)).status).toBe(200);
  });

  it('usage counts keys here and asks the registry for devices, in the name of the account', async () => {
    const { id } = await tenant({ limits: { devices: 50 } });
    registry.handler = (request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ total_count: String(request.url).startsWith('/v3/device-groups') ? 2 : 7 }));
    };
    const { status, body } = await send('GET', `/v3/accounts/${id}/usage`);
    registry.echo();
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        account_id: id,
        devices: { used: 7, limit: 50 },
        device_groups: { used: 2, limit: null },
        api_keys: { used: 1, limit: null },
        key_groups: { used: 2, limit: null },
      }),
    ]);
  });
});

describe('groups with named permissions', () => {
  const keyWith = async (permissions: string[]): Promise<string> => {
    const group = await send('POST', '/v3/policy-groups', { name: newId(), permissions });
    expect([group.status, group.body.permissions]).toEqual([201, permissions]);
    return (await gateway.newKey({ groups: [group.body.id] })).key;
  };
  const device = 'f'.repeat(32);
  const calls: [string, string, string][] = [
    ['GET', '/v3/devices', 'devices.read'],
    ['POST', '/v3/devices', 'devices.write'],
    ['DELETE', `/v3/devices/${device}`, 'devices.write'],
    ['POST', `/v3/devices/${device}/suspend`, 'devices.suspend'],
    ['POST', `/v3/devices/${device}/resume`, 'devices.suspend'],
    ['POST', `/v3/devices/${device}/credentials`, 'devices.credentials'],
    ['GET', `/v3/devices/${device}/credentials`, 'devices.read'],
    ['POST', `/v2/device-requests/${device}`, 'commands'],
    ['GET', '/v2/endpoints', 'devices.read'],
    ['GET', `/v2/endpoints/${device}/3/0/0`, 'commands'],
    ['PUT', `/v2/subscriptions/${device}/3/0/0`, 'subscriptions'],
  ];

  it.each(['devices.read', 'devices.write', 'devices.suspend', 'devices.credentials', 'commands', 'subscriptions'])(
    '%s opens its calls and no other',
    async (permission) => {
      const key = await keyWith([permission]);
      for (const [method, path, needed] of calls) {
        const { status, text } = await send(method, path, method === 'GET' ? undefined : {}, key);
        expect([method, path, status]).toEqual([method, path, needed === permission ? 200 : 403]);
        // In the form of the path.
        if (status === 403) expect(text).toMatch(path.startsWith('/v2/') ? /^FORBIDDEN$/ : /"type":"access_denied"/);
      }
      expect((await send('GET', '/v3/api-keys', undefined, key)).status).toBe(403);
    },
  );

  it('admin can be given; a changed group changes its keys; the two of every account are fixed', async () => {
    const key = await keyWith(['admin']);
    expect((await send('GET', '/v3/api-keys', undefined, key)).status).toBe(200);
    expect((await send('GET', '/v3/devices', undefined, key)).status).toBe(403);
    const id = String((await send('GET', '/v3/api-keys/me/groups', undefined, key)).body.data[0]?.id);
    expect((await send('PUT', `/v3/policy-groups/${id}`, { permissions: ['devices'] })).status).toBe(200);
    expect((await send('GET', '/v3/api-keys', undefined, key)).status).toBe(403);
    expect((await send('GET', '/v3/devices', undefined, key)).status).toBe(200);
    const developers = (await send('GET', '/v3/policy-groups?name__eq=Developers')).body.data[0];
    expect((await send('PUT', `/v3/policy-groups/${String(developers?.id)}`, { permissions: [] })).status).toBe(403);
    expect((await send('POST', '/v3/policy-groups', { name: 'x', permissions: ['everything'] })).status).toBe(400);
  });
});
