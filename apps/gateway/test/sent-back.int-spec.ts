import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOCK, systemClock } from '@lanyard/service';
import { eventually, withProviders } from '@lanyard/testing';
import { TestSystem, type Reply } from './test-system.js';

let gateway: TestSystem;
let aheadMs = 0;

beforeAll(async () => {
  gateway = await (
    await TestSystem.corner('sent-back')
  ).start({}, withProviders([CLOCK, { ...systemClock, now: () => Date.now() + aheadMs }]));
});
afterAll(() => gateway?.stop());

const post = async (path: string, body: object): Promise<Reply['body']> => {
  const reply = await gateway.call(path, { method: 'POST', body });
  expect([path, reply.status]).toEqual([path, 201]);
  return reply.body;
};

/** What every change counts, and when a key was used, which is stored up to 5 s later. */
const moving = { etag: '', updated_at: '', last_used_at: '', last_login_time: 0 };

/** What is sent back differs in nothing else. */
const sendBack = async (path: string, key?: string): Promise<Reply['body']> => {
  const by = key === undefined ? {} : { key };
  const { body: shown } = await gateway.call(path, by);
  const { status, body } = await gateway.call(path, { method: 'PUT', body: shown, ...by });
  expect([path, status]).toEqual([path, 200]);
  expect({ ...body, ...moving }).toEqual({ ...shown, ...moving });
  return body;
};

describe('a record that was read, sent back with PUT', () => {
  it('an account, by the installation and by its own administrator', async () => {
    const limits = { requests_per_second: 100, devices: 10, api_keys: 3 };
    const profile = { email: 'a@example.com', city: 'Ulm', custom_fields: { floor: '2' } };
    const made = await post('/v3/accounts', { display_name: 'Tenant', limits, ...profile });
    await sendBack(`/v3/accounts/${made.id}`);
    await sendBack('/v3/accounts/me');
    await sendBack('/v3/accounts/me', String(made['admin_key']));
  });

  it('a group, also one whose permissions are fixed', async () => {
    for (const { id } of (await gateway.call('/v3/policy-groups')).body.data)
      await sendBack(`/v3/policy-groups/${String(id)}`);
    const { id } = await post('/v3/policy-groups', { name: 'Readers', permissions: ['devices.read', 'events.read'] });
    await sendBack(`/v3/policy-groups/${id}`);
  });

  it('an API key, by an administrator and by itself', async () => {
    const { id, key } = await gateway.newKey({ owner: 'o', expiration: '2200-01-01T00:00:00Z' });
    await sendBack(`/v3/api-keys/${id}`);
    await sendBack('/v3/api-keys/me', key);
  });

  it('an application and its access key', async () => {
    const { id } = await post('/v3/applications', { name: 'App' });
    await sendBack(`/v3/applications/${id}`);
    const key = await post(`/v3/applications/${id}/access-keys`, { name: 'Key' });
    await sendBack(`/v3/applications/${id}/access-keys/${key.id}`);
  });

  it('a key that is sent back as its creation showed it, in full', async () => {
    const { id } = await post('/v3/applications', { name: 'Full' });
    for (const list of ['/v3/api-keys', `/v3/applications/${id}/access-keys`]) {
      const made = await post(list, { name: 'Full' });
      const { status } = await gateway.call(`${list}/${made.id}`, { method: 'PUT', body: { ...made, name: 'New' } });
      expect([list, status]).toEqual([list, 200]);
    }
  });

  it('with another value of a read-only field, or one more field: 400 with the name', async () => {
    const { id } = await post('/v3/applications', { name: 'Read-only' });
    const group = await post('/v3/policy-groups', { name: 'Read-only' });
    const records: Record<string, Record<string, unknown>> = {
      '/v3/accounts/me': { end_market: 'IoT', policies: [{ feature: 'x', allow: true }], mfa_status: 'enforced' },
      [`/v3/policy-groups/${group.id}`]: { account_id: 'x', etag: '99', members: {} },
      [`/v3/applications/${id}`]: { id: 'x', created_at: '2020-01-01T00:00:00Z', access_keys: [] },
      [`/v3/applications/${id}/access-keys/${(await post(`/v3/applications/${id}/access-keys`, { name: 'k' })).id}`]: {
        key: 'ak_2',
        application_id: 'x',
        groups: [],
      },
      [`/v3/api-keys/${(await gateway.newKey()).id}`]: { key: 'ak_1', creation_time: 1, secret: 'x' },
    };
    for (const [path, fields] of Object.entries(records))
      for (const [name, value] of Object.entries(fields)) {
        const { status, body } = await gateway.call(path, { method: 'PUT', body: { [name]: value } });
        expect([path, status, body]).toEqual([path, 400, expect.objectContaining({ type: 'validation_error' })]);
        expect([path, body['fields']]).toEqual([path, [expect.objectContaining({ name })]]);
      }
  });

  it('counters of members may have moved meanwhile', async () => {
    const { id } = await post('/v3/policy-groups', { name: 'Counted' });
    const sent = { apikey_count: 7, application_count: 7, user_count: 0 };
    expect((await gateway.call(`/v3/policy-groups/${id}`, { method: 'PUT', body: sent })).status).toBe(200);
  });

  it('EXPIRED leaves the status: such a key works again with another end, and stays off when it was off', async () => {
    const expiration = new Date(Date.now() + aheadMs + 60_000).toISOString();
    const { id } = await post('/v3/applications', { name: 'App' });
    const made = [
      ['/v3/api-keys', `/v3/api-keys/${(await gateway.newKey({ expiration })).id}`],
      [
        `/v3/applications/${id}/access-keys`,
        `/v3/applications/${id}/access-keys/${(await post(`/v3/applications/${id}/access-keys`, { name: 'Key', expiration })).id}`,
      ],
    ] as const;
    const changedAt = async (): Promise<unknown> => (await gateway.call(made[0][1])).body['updated_at'];
    const before = await changedAt();
    aheadMs += 120_000;
    // The gateway notices the end of a key, which is a change of it.
    await eventually(async () => expect(await changedAt()).not.toBe(before));
    for (const [list, path] of made) {
      const expired = await sendBack(path);
      expect(expired).toMatchObject({ status: 'EXPIRED' });
      const put = (body: object): Promise<Reply> => gateway.call(path, { method: 'PUT', body });
      const later = { ...expired, expiration: '2200-01-01T00:00:00Z' };
      expect((await put(later)).body).toMatchObject({ status: 'ACTIVE' });
      await put({ status: 'INACTIVE' });
      const { etag: _, updated_at: __, ...again } = later as Record<string, unknown>;
      expect((await put(again)).body).toMatchObject({ status: 'INACTIVE' });
      expect((await gateway.call(list, { method: 'POST', body: { name: 'n', status: 'EXPIRED' } })).status).toBe(400);
    }
  });
});
