import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseApiKey } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { type Reply, TestSystem } from './test-system.js';

let gateway: TestSystem;
const groups = { administrators: '', developers: '' };

beforeAll(async () => {
  gateway = await (await TestSystem.corner('api-keys')).start();
  for (const group of (await gateway.call('/v3/policy-groups')).body.data)
    groups[group.name === 'Administrators' ? 'administrators' : 'developers'] = String(group.id);
});
afterAll(() => gateway?.stop());

describe('POST /v3/api-keys', () => {
  it('201 shows the full key, once, and makes it a developer', async () => {
    const { status, body } = await gateway.call('/v3/api-keys', { method: 'POST', body: { name: 'app-1' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'api-key',
      name: 'app-1',
      status: 'ACTIVE',
      groups: [groups.developers],
      account_id: gateway.accountId,
      last_login_time: 0,
      etag: '1',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
    expect(body['creation_time']).toBe(Date.parse(String(body['created_at'])));
    expect(parseApiKey(body.key)).toMatchObject({ keyId: body.id, accountId: gateway.accountId });
    expect((await gateway.call(`/v3/api-keys/${body.id}`)).body.key).toBe(body.key.slice(0, -32));
  });

  it.each([undefined, null, '', ' ', 7, 'x'.repeat(101)])('400 names the field if the name is %j', async (name) => {
    const { status, body } = await gateway.call('/v3/api-keys', { method: 'POST', body: { name } });
    expect([status, body.type, body.fields]).toEqual([
      400,
      'validation_error',
      [expect.objectContaining({ name: 'name' })],
    ]);
  });

  it('201 for a name of 100 characters', async () => {
    const name = 'x'.repeat(100);
    const { status, body } = await gateway.call('/v3/api-keys', { method: 'POST', body: { name } });
    expect([status, body.name]).toEqual([201, name]);
  });

  it.each(['', '{', '[]', 'null'])('400 for the body %j', async (body) => {
    const reply = await gateway.call('/v3/api-keys', { method: 'POST', body });
    expect([reply.status, reply.body.type, reply.body.fields]).toEqual([
      400,
      'validation_error',
      [expect.objectContaining({ name: 'body' })],
    ]);
  });

  it('400 for an unknown group', async () => {
    const body = { name: 'x', groups: ['f'.repeat(32)] };
    const reply = await gateway.call('/v3/api-keys', { method: 'POST', body });
    expect([reply.status, reply.body.fields]).toEqual([400, [expect.objectContaining({ name: 'groups' })]]);
  });

  it('401 without a key', async () => {
    const { status, body } = await gateway.call('/v3/api-keys', { method: 'POST', body: { name: 'x' }, key: null });
    expect([status, body.object, body.type]).toEqual([401, 'error', 'invalid_apikey']);
  });

  it('403 for a developer', async () => {
    const { key } = await gateway.newKey();
    const { status, body } = await gateway.call('/v3/api-keys', { method: 'POST', body: { name: 'x' }, key });
    expect([status, body.type]).toEqual([403, 'access_denied']);
  });
});

describe('GET /v3/api-keys', () => {
  it('200 pages by the id of the last item, always with the total', async () => {
    for (let i = 0; i < 3; i++) await gateway.newKey({ name: `page-${i}`, owner: 'pager' });
    const first = await gateway.call('/v3/api-keys?limit=2&owner__eq=pager');
    expect(first.body).toMatchObject({
      object: 'list',
      limit: 2,
      after: null,
      has_more: true,
      total_count: 3,
      order: 'ASC',
    });
    const last = first.body.data.at(-1)?.id as string;
    const second = await gateway.call(`/v3/api-keys?limit=2&owner__eq=pager&after=${last}`);
    expect(second.body).toMatchObject({ after: last, has_more: false, total_count: 3 });
    const names = [...first.body.data, ...second.body.data].map((key) => key.name);
    expect(names.sort()).toEqual(['page-0', 'page-1', 'page-2']);
    const ids = [...first.body.data, ...second.body.data].map((key) => key.id);
    const reversed = await gateway.call('/v3/api-keys?limit=2&order=DESC&owner__eq=pager');
    expect(reversed.body).toMatchObject({ order: 'DESC', has_more: true, total_count: 3 });
    expect(reversed.body.data.map((key) => key.id)).toEqual(ids.toReversed().slice(0, 2));
    expect(JSON.stringify(first.body)).not.toMatch(/ak_1[0-9a-f]{64}[0-9A-Za-z]/);
  });

  it('200 finds a key by its text without the secret', async () => {
    const { id, key } = await gateway.newKey();
    const { body } = await gateway.call(`/v3/api-keys?key__eq=${key.slice(0, -32)}`);
    expect(body.data.map((k) => k.id)).toEqual([id]);
  });

  it('400 for a whole key in the query: keys never belong there', async () => {
    const { key } = await gateway.newKey();
    const packed = encodeURIComponent(`name=app&key__eq=${key}`);
    for (const [name, value] of [
      ['key__eq', key],
      ['key__in', `${key.slice(0, -32)},${key}`],
      ['filter', packed],
    ] as const) {
      const { status, body } = await gateway.call(`/v3/api-keys?${name}=${value}`);
      expect([status, body.fields]).toEqual([400, [expect.objectContaining({ name })]]);
      expect(body.message).toContain('reset the key');
    }
  });

  it('400 for an unknown filter', async () => {
    expect((await gateway.call('/v3/api-keys?colour__eq=red')).status).toBe(400);
  });

  it('403 for a developer', async () => {
    const { key } = await gateway.newKey();
    expect((await gateway.call('/v3/api-keys', { key })).status).toBe(403);
  });
});

describe('/v3/api-keys/me', () => {
  it('GET 200 shows the calling key', async () => {
    const { id, key } = await gateway.newKey({ name: 'myself' });
    const { status, body } = await gateway.call('/v3/api-keys/me/', { key });
    expect([status, body.id, body.name]).toEqual([200, id, 'myself']);
  });

  it('PUT 200 changes it', async () => {
    const { key } = await gateway.newKey();
    const { status, body } = await gateway.call('/v3/api-keys/me', { method: 'PUT', key, body: { name: 'renamed' } });
    expect([status, body.name, body.etag]).toEqual([200, 'renamed', '2']);
  });

  it('PUT 400 for a wrong status', async () => {
    const { key } = await gateway.newKey();
    expect((await gateway.call('/v3/api-keys/me', { method: 'PUT', key, body: { status: 'GONE' } })).status).toBe(400);
  });

  it('PUT 403 when a developer reaches for Administrators', async () => {
    const { key } = await gateway.newKey();
    const body = { groups: [groups.administrators] };
    const reply = await gateway.call('/v3/api-keys/me', { method: 'PUT', key, body });
    expect([reply.status, reply.body.type]).toEqual([403, 'access_denied']);
  });

  it('GET groups 200', async () => {
    const { key } = await gateway.newKey();
    const { status, body } = await gateway.call('/v3/api-keys/me/groups', { key });
    expect([status, body.total_count, body.data.map((g) => g.name)]).toEqual([200, 1, ['Developers']]);
  });

  it('notes the last login', async () => {
    const { id, key } = await gateway.newKey();
    await gateway.call('/v3/api-keys/me', { key });
    await eventually(async () => Number((await gateway.call(`/v3/api-keys/${id}`)).body.last_login_time) > 0);
  });

  it('notes the last login later while the key is being changed, and then delays no other key', async () => {
    const [held, other] = [await gateway.newKey(), await gateway.newKey()];
    const lastLogin = async ({ id }: { id: string }): Promise<number> =>
      Number((await gateway.call(`/v3/api-keys/${id}`)).body['last_login_time']);
    await gateway.service.app.get(DataSource).transaction(async (manager) => {
      await manager.query('SELECT FROM api_keys WHERE id = $1 FOR UPDATE', [held.id]);
      for (const { key } of [held, other]) await gateway.call('/v3/api-keys/me', { key });
      await eventually(async () => expect(await lastLogin(other)).toBeGreaterThan(0));
      expect(await lastLogin(held)).toBe(0);
    });
    await eventually(async () => expect(await lastLogin(held)).toBeGreaterThan(0));
  });
});

describe('/v3/api-keys/{id}', () => {
  it('GET 403 for another key, known or not, by a developer', async () => {
    const { key } = await gateway.newKey();
    const other = await gateway.newKey();
    expect((await gateway.call(`/v3/api-keys/${other.id}`, { key })).status).toBe(403);
    expect((await gateway.call(`/v3/api-keys/${'e'.repeat(32)}`, { key })).status).toBe(403);
  });

  it('GET 404 for an unknown id', async () => {
    const { status, body } = await gateway.call(`/v3/api-keys/${'e'.repeat(32)}`);
    expect([status, body.type]).toEqual([404, 'not_found']);
  });

  it('PUT 200 moves a key to another group, and its permissions with it', async () => {
    const { id, key } = await gateway.newKey();
    const body = { groups: [groups.administrators] };
    expect((await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body })).status).toBe(200);
    expect((await gateway.call('/v3/api-keys', { key })).status).toBe(200);
  });

  it('PUT 200 inactive: the key stops at once on this replica', async () => {
    const { id, key } = await gateway.newKey();
    expect((await gateway.call('/v3/accounts/me', { key })).status).toBe(200);
    await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { status: 'INACTIVE' } });
    expect((await gateway.call('/v3/accounts/me', { key })).status).toBe(401);
  });

  it('DELETE 204, then 401 with the key and 404 for the id', async () => {
    const { id, key } = await gateway.newKey();
    expect((await gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await gateway.call('/v3/accounts/me', { key })).status).toBe(401);
    expect((await gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('/v3/api-keys/{id}/groups', () => {
  it.each(['groups/add', 'groups'])('POST %s: 200 added, 409 added twice, 400 for no groups, 404', async (form) => {
    const { id } = await gateway.newKey();
    const add = (keyId: string, body: unknown): Promise<Reply> =>
      gateway.call(`/v3/api-keys/${keyId}/${form}`, { method: 'POST', body });
    const { status, body } = await add(id, [groups.administrators]);
    expect([status, body.object, body.id]).toEqual([200, 'api-key', id]);
    expect(body.groups).toEqual([groups.administrators, groups.developers].sort());
    expect(body.key).toHaveLength(68);
    const twice = await add(id, [groups.administrators]);
    expect([twice.status, twice.body.type]).toEqual([409, 'duplicate']);
    for (const wrong of [[], ['f'.repeat(32)], ['Administrators'], { groups: [groups.administrators] }])
      expect([wrong, (await add(id, wrong)).status]).toEqual([wrong, 400]);
    expect((await add('e'.repeat(32), [groups.administrators])).status).toBe(404);
  });

  it.each([
    ['POST', 'groups/remove'],
    ['DELETE', 'groups'],
  ])('%s %s: 200 removed, 200 also for a group that it is not in, 404', async (method, form) => {
    const { id } = await gateway.newKey({ groups: [groups.administrators, groups.developers] });
    const remove = (keyId: string): Promise<Reply> =>
      gateway.call(`/v3/api-keys/${keyId}/${form}`, { method, body: [groups.administrators] });
    for (const { status, body } of [await remove(id), await remove(id)])
      expect([status, body.object, body.groups]).toEqual([200, 'api-key', [groups.developers]]);
    expect((await remove('e'.repeat(32))).status).toBe(404);
  });

  it('403 for a developer, also for itself', async () => {
    const { id, key } = await gateway.newKey();
    for (const form of ['groups/add', 'groups/remove']) {
      const call = { method: 'POST', key, body: [groups.developers] };
      expect((await gateway.call(`/v3/api-keys/${id}/${form}`, call)).status).toBe(403);
    }
  });
});

describe('POST /v3/api-keys/{id}/reset-secret', () => {
  it('200 same id, new secret; the old one is refused', async () => {
    const { id, key } = await gateway.newKey();
    await gateway.call('/v3/accounts/me', { key });
    const { status, body } = await gateway.call(`/v3/api-keys/${id}/reset-secret`, { method: 'POST' });
    expect([status, body.id]).toEqual([200, id]);
    expect(body.key.slice(0, -32)).toBe(key.slice(0, -32));
    expect((await gateway.call('/v3/accounts/me', { key })).status).toBe(401);
    expect((await gateway.call('/v3/accounts/me', { key: body.key })).status).toBe(200);
  });

  it('200 with a change of the record in the same call', async () => {
    const { id, key } = await gateway.newKey();
    const body = { name: 'renamed' };
    const reply = await gateway.call(`/v3/api-keys/${id}/reset-secret`, { method: 'POST', body });
    expect([reply.status, reply.body.name, reply.body.key === key]).toEqual([200, 'renamed', false]);
  });

  it('403 for another key by a developer, which may reset itself', async () => {
    const [{ id, key }, other] = [await gateway.newKey(), await gateway.newKey()];
    const reset = async (keyId: string): Promise<number> =>
      (await gateway.call(`/v3/api-keys/${keyId}/reset-secret`, { method: 'POST', key })).status;
    expect([await reset(other.id), await reset(id)]).toEqual([403, 200]);
  });

  it('404 for an unknown id', async () => {
    expect((await gateway.call(`/v3/api-keys/${'e'.repeat(32)}/reset-secret`, { method: 'POST' })).status).toBe(404);
  });
});

describe('the last administrator', () => {
  it('400 for each way to lose it', async () => {
    const corner = await (await TestSystem.corner('last-admin')).start();
    try {
      const me = parseApiKey(corner.adminKey)?.keyId as string;
      const admins = (await corner.call('/v3/policy-groups?name__eq=Administrators')).body.data[0]?.id as string;
      const ways: [string, string, unknown][] = [
        ['DELETE', `/v3/api-keys/${me}`, undefined],
        ['PUT', '/v3/api-keys/me', { status: 'INACTIVE' }],
        ['PUT', '/v3/api-keys/me', { groups: [] }],
        ['POST', `/v3/api-keys/${me}/groups/remove`, [admins]],
        ['POST', `/v3/policy-groups/${admins}/api-keys/remove`, { apikeys: [me] }],
      ];
      for (const [method, path, body] of ways) {
        const reply = await corner.call(path, { method, body });
        expect([path, reply.status, reply.body.type]).toEqual([path, 400, 'bad_request']);
      }
      await corner.newKey({ groups: [admins] });
      expect((await corner.call(`/v3/api-keys/${me}`, { method: 'DELETE' })).status).toBe(204);
    } finally {
      await corner.stop();
    }
  });
});

describe('/v3/policy-groups', () => {
  it('GET 200 lists the two every account has', async () => {
    const { status, body } = await gateway.call('/v3/policy-groups');
    expect(status).toBe(200);
    expect(
      body.data
        .slice(0, 2)
        .map((g) => g.name)
        .sort(),
    ).toEqual(['Administrators', 'Developers']);
    expect(body).toHaveProperty('total_count');
  });

  it('POST 201, GET 200, PUT 200, DELETE 204, GET 404', async () => {
    const { id: member } = await gateway.newKey();
    const body = { name: 'meters', members: { apikeys: [member] } };
    const made = await gateway.call('/v3/policy-groups', { method: 'POST', body });
    expect([made.status, made.body.object, made.body.apikey_count]).toEqual([201, 'group', 1]);
    const path = `/v3/policy-groups/${made.body.id}`;
    expect((await gateway.call(`${path}/api-keys`)).body.data.map((k) => k.id)).toEqual([member]);
    expect((await gateway.call(`${path}/users`)).body.total_count).toBe(0);
    expect((await gateway.call(path, { method: 'PUT', body: { name: 'counters' } })).body.name).toBe('counters');
    expect((await gateway.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await gateway.call(path)).status).toBe(404);
    expect((await gateway.call(`/v3/api-keys/${member}`)).body.groups).toEqual([groups.developers]);
  });

  it('POST 409 when the name exists', async () => {
    const { status, body } = await gateway.call('/v3/policy-groups', { method: 'POST', body: { name: 'Developers' } });
    expect([status, body.type]).toEqual([409, 'duplicate']);
  });

  it('DELETE 403 for Administrators', async () => {
    expect((await gateway.call(`/v3/policy-groups/${groups.administrators}`, { method: 'DELETE' })).status).toBe(403);
  });

  it('members: 200 added, 409 added twice, 200 removed, 400 for a stranger', async () => {
    const { id } = await gateway.newKey();
    const path = `/v3/policy-groups/${groups.administrators}/api-keys`;
    const body = { apikeys: [id] };
    expect((await gateway.call(`${path}/add`, { method: 'POST', body })).status).toBe(200);
    expect((await gateway.call(`${path}/add`, { method: 'POST', body })).status).toBe(409);
    expect((await gateway.call(`${path}/remove`, { method: 'POST', body })).status).toBe(200);
    const stranger = { apikeys: ['f'.repeat(32)] };
    expect((await gateway.call(`${path}/add`, { method: 'POST', body: stranger })).status).toBe(400);
  });

  it('members by the older forms of the calls: 200 added, 409 added twice, 200 removed', async () => {
    const made = await gateway.call('/v3/policy-groups', { method: 'POST', body: { name: 'older forms' } });
    const path = `/v3/policy-groups/${made.body.id}`;
    const body = { apikeys: [(await gateway.newKey()).id] };
    for (const form of [path, `${path}/api-keys`]) {
      const added = await gateway.call(form, { method: 'POST', body });
      expect([added.status, added.body.object, added.body.apikey_count]).toEqual([200, 'group', 1]);
      expect((await gateway.call(form, { method: 'POST', body })).status).toBe(409);
      const removed = await gateway.call(`${path}/api-keys`, { method: 'DELETE', body });
      expect([removed.status, removed.body.apikey_count]).toEqual([200, 0]);
    }
  });

  it('403 for the 101st group of a key, in either form of the call', async () => {
    const { id } = await gateway.newKey();
    const made: string[] = [];
    for (let n = 0; n < 100; n++)
      made.push((await gateway.call('/v3/policy-groups', { method: 'POST', body: { name: `many-${n}` } })).body.id);
    const [last, ...others] = made;
    const add = `/v3/api-keys/${id}/groups/add`;
    // It is a developer as well.
    expect((await gateway.call(add, { method: 'POST', body: others })).status).toBe(200);
    const tooMany = [
      await gateway.call(add, { method: 'POST', body: [last] }),
      await gateway.call(`/v3/policy-groups/${last}/api-keys/add`, { method: 'POST', body: { apikeys: [id] } }),
    ];
    for (const { status, body } of tooMany) expect([status, body.type]).toEqual([403, 'account_limit_exceeded']);
    expect((await gateway.call(`/v3/api-keys/${id}`)).body.groups).toHaveLength(100);
  });

  it('403 for a developer', async () => {
    const { key } = await gateway.newKey();
    expect((await gateway.call('/v3/policy-groups', { key })).status).toBe(403);
  });
});

describe('GET /v3/accounts/me', () => {
  it('200 for any key', async () => {
    const { key } = await gateway.newKey();
    const { status, body } = await gateway.call('/v3/accounts/me?include=limits%2C%20policies&properties=', { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'account', id: gateway.accountId, status: 'ACTIVE', tier: '1', etag: '1' });
  });
});
