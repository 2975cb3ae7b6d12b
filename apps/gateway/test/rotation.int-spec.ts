import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccessKeyChanged, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { CLOCK, createLogger, hashSecret, type RunningService, startService, systemClock } from '@lanyard/service';
import { eventually, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { TestSystem } from './test-system.js';

const hour = 3_600_000;

let gateway: TestSystem;
/** A replica that is ahead in time, and what it announces. */
let later: RunningService;
let aheadMs = 0;
let kafka: KafkaConnection;
let announced: StateReader<AccessKeyChanged, AccessKeyChanged>;
let administrators: string;

beforeAll(async () => {
  gateway = await (await TestSystem.corner('rotation')).start({ GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000' });
  later = await startService(
    definition,
    gateway.config({ GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000' }),
    withProviders([CLOCK, { ...systemClock, now: () => Date.now() + aheadMs }]),
  );
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const { topicPrefix } = gateway.isolation;
  kafka = new KafkaConnection({ ...gateway.config().kafka, topicPrefix, clientId: 'test', logger });
  announced = new StateReader(kafka, AccessKeys, { project: (value) => value, onFatal: () => undefined });
  await announced.start();
  const { body } = await gateway.call('/v3/policy-groups?name__eq=Administrators');
  administrators = String(body.data[0]?.id);
});
afterAll(async () => {
  await announced?.stop();
  await kafka?.close();
  await later?.stop();
  await gateway?.stop();
});

const post = (path: string, body?: unknown, key?: string): ReturnType<TestSystem['call']> =>
  gateway.call(path, { method: 'POST', body, ...(key !== undefined && { key }) });
const statusWith = async (key: string): Promise<number> => (await gateway.call('/v3/accounts/me', { key })).status;
const statusLater = async (key: string, laterMs: number): Promise<number> => {
  aheadMs = laterMs;
  const { status } = await fetch(`${later.url}/v3/accounts/me`, { headers: { authorization: `Bearer ${key}` } });
  return status;
};

describe('POST /v3/api-keys/{id}/rotate', () => {
  it('200 the same id with two valid secrets, announced both, until the overlap ends', async () => {
    const { id, key: before } = await gateway.newKey();
    const { status, body } = await post(`/v3/api-keys/${id}/rotate`, { overlap_seconds: 3_600 });
    expect([status, body.id]).toEqual([200, id]);
    expect(body.key).not.toBe(before);
    const until = Date.parse(String(body.previous_secret_expires_at));
    expect(until).toBeGreaterThan(Date.now() + hour - 60_000);
    expect([await statusWith(before), await statusWith(body.key)]).toEqual([200, 200]);
    expect((await gateway.call(`/v3/api-keys/${id}`)).body.key).toBe(before.slice(0, -32));
    await eventually(() =>
      expect(announced.get(id)).toMatchObject({
        hash: hashSecret(body.key.slice(-32)),
        previousHashes: [{ hash: hashSecret(before.slice(-32)) }],
        status: 'active',
      }),
    );
    expect(await statusLater(before, 2 * hour)).toBe(401);
    expect(await statusLater(body.key, 2 * hour)).toBe(200);
    await eventually(() => expect(announced.get(id)?.previousHashes).toBeUndefined());
    expect(announced.get(id)?.status).toBe('active');
  });

  it('twice: never more than two secrets; the overlap can be ended, and a reset ends both', async () => {
    aheadMs = 0;
    const { id, key: first } = await gateway.newKey();
    const second = (await post(`/v3/api-keys/${id}/rotate`)).body.key;
    const third = (await post(`/v3/api-keys/${id}/rotate`)).body.key;
    expect([await statusWith(first), await statusWith(second), await statusWith(third)]).toEqual([401, 200, 200]);
    expect((await gateway.call(`/v3/api-keys/${id}/previous-secret`, { method: 'DELETE' })).status).toBe(204);
    expect([await statusWith(second), await statusWith(third)]).toEqual([401, 200]);
    expect((await gateway.call(`/v3/api-keys/${id}/previous-secret`, { method: 'DELETE' })).status).toBe(204);
    await post(`/v3/api-keys/${id}/rotate`);
    const last = (await post(`/v3/api-keys/${id}/reset-secret`)).body;
    expect([await statusWith(third), await statusWith(last.key)]).toEqual([401, 200]);
    expect(last.previous_secret_expires_at).toBeUndefined();
  });

  it('a key rotates itself, and no other; 400 beyond the bounds', async () => {
    const [own, other] = [await gateway.newKey(), await gateway.newKey()];
    expect((await post('/v3/api-keys/me/rotate', {}, own.key)).body.id).toBe(own.id);
    expect((await post(`/v3/api-keys/${other.id}/rotate`, {}, own.key)).status).toBe(403);
    for (const overlap_seconds of [0, 2_592_001, 1.5])
      expect((await post(`/v3/api-keys/${own.id}/rotate`, { overlap_seconds })).status).toBe(400);
  });
});

describe('expiration', () => {
  it('the key is refused from then on, shown as EXPIRED, and announced as inactive', async () => {
    aheadMs = 0;
    const expiration = new Date(Date.now() + 24 * hour).toISOString();
    const { id, key } = await gateway.newKey({ expiration });
    expect((await gateway.call(`/v3/api-keys/${id}`)).body).toMatchObject({
      status: 'ACTIVE',
      expiration: expiration.replace('Z', '000Z'),
    });
    await eventually(() => expect(announced.get(id)).toMatchObject({ status: 'active', expiresAt: expiration }));
    expect([await statusWith(key), await statusLater(key, 23 * hour)]).toEqual([200, 200]);
    expect(await statusLater(key, 25 * hour)).toBe(401);
    await eventually(() => expect(announced.get(id)?.status).toBe('inactive'));
    const shown = await fetch(`${later.url}/v3/api-keys/${id}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    expect(await shown.json()).toMatchObject({ status: 'EXPIRED' });
    aheadMs = 0;
    const put = await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { expiration: null } });
    expect([put.status, put.body.status, put.body.expiration]).toEqual([200, 'ACTIVE', undefined]);
    await eventually(() => expect(announced.get(id)?.status).toBe('active'));
  });

  it('400 in the past; 403 when a key puts off its own end; 400 for the last administrator', async () => {
    const yesterday = new Date(Date.now() - 24 * hour).toISOString();
    const refused = await post('/v3/api-keys', { name: 'x', expiration: yesterday });
    expect([refused.status, refused.body.fields]).toEqual([400, [expect.objectContaining({ name: 'expiration' })]]);
    const tomorrow = new Date(Date.now() + 24 * hour).toISOString();
    const { key } = await gateway.newKey({ expiration: tomorrow });
    const change = { method: 'PUT', body: { expiration: null }, key };
    expect((await gateway.call('/v3/api-keys/me', change)).status).toBe(403);
    await gateway.newKey({ groups: [administrators], expiration: tomorrow });
    const own = await gateway.call('/v3/api-keys/me', { method: 'PUT', body: { expiration: tomorrow } });
    expect([own.status, own.body.message]).toEqual([400, expect.stringContaining('does not expire')]);
  });

  it('400 where the offset leads beyond the year 9999; its last second is taken', async () => {
    const { id } = await gateway.newKey();
    const [beyond, last] = ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59Z'];
    for (const [method, path] of [
      ['POST', '/v3/api-keys'],
      ['PUT', `/v3/api-keys/${id}`],
    ] as const) {
      const refused = await gateway.call(path, { method, body: { name: 'x', expiration: beyond } });
      expect([refused.status, refused.body.fields]).toEqual([400, [expect.objectContaining({ name: 'expiration' })]]);
    }
    const taken = await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { expiration: last } });
    expect([taken.status, taken.body.expiration]).toEqual([200, '9999-12-31T23:59:59.000000Z']);
  });
});
