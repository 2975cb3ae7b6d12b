import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessKeys, type AccessKeyChanged } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { CLOCK, createLogger, hashSecret, startService, systemClock } from '@lanyard/service';
import { eventually, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { TestSystem, type Reply } from './test-system.js';
import { Upstream } from './upstream.js';

let gateway: TestSystem;
let upstream: Upstream;
let kafka: KafkaConnection;
let announced: StateReader<AccessKeyChanged>;
const history: AccessKeyChanged[] = [];

beforeAll(async () => {
  upstream = await new Upstream().listen();
  gateway = await (await TestSystem.corner('applications')).start({ GATEWAY_DEVICE_PROXY_URLS: upstream.url });
  const { brokers, topicPrefix } = gateway.config().kafka;
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  kafka = new KafkaConnection({ brokers, topicPrefix, clientId: 'test', logger });
  announced = new StateReader(kafka, AccessKeys, { project: (key) => key, onFatal: () => undefined });
  announced.onChange((_, key) => void (key && history.push(key)));
  await announced.start();
});
afterAll(async () => {
  await announced?.stop();
  await kafka?.close();
  await gateway?.stop();
  await upstream?.stop();
});

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  gateway.call(path, { method, body, headers });

const application = async (fields: object = {}): Promise<string> => {
  const { status, body } = await send('POST', '/v3/applications', { name: 'App', ...fields });
  expect(status).toBe(201);
  return body.id;
};

const accessKey = async (id: string, fields: object = {}): Promise<{ id: string; key: string }> => {
  const { status, body } = await send('POST', `/v3/applications/${id}/access-keys`, { name: 'Key', ...fields });
  expect(status).toBe(201);
  return body;
};

/** Status of a call with the key, and the identity that the upstream received. */
const come = async (key: string): Promise<{ status: number; keyId: string | undefined }> => {
  const { status, body } = await gateway.call('/v2/subscriptions', { key });
  const headers = (body as { headers?: Record<string, string> }).headers;
  const token = headers?.['x-lanyard-identity']?.split('.')[0];
  const identity = token && (JSON.parse(Buffer.from(token, 'base64url').toString()) as { keyId: string });
  return { status, keyId: identity ? identity.keyId : undefined };
};

describe('/v3/applications', () => {
  it('POST 201, GET, PUT, DELETE 204, then 404; a developer until told otherwise', async () => {
    const id = await application({ description: 'Reads meters' });
    const { body } = await send('GET', `/v3/applications/${id}`);
    expect(body).toMatchObject({
      object: 'application',
      id,
      account_id: gateway.accountId,
      name: 'App',
      description: 'Reads meters',
      status: 'ACTIVE',
      etag: '1',
    });
    const [developers] = (await send('GET', '/v3/policy-groups?name__eq=Developers')).body.data;
    expect(body.groups).toEqual([developers?.id]);
    expect((await send('PUT', `/v3/applications/${id}`, { status: 'INACTIVE' })).body).toMatchObject({
      status: 'INACTIVE',
      name: 'App',
      etag: '2',
    });
    const list = await send('GET', `/v3/applications?id__eq=${id}&status__eq=INACTIVE`);
    expect(list.body).toMatchObject({ object: 'list', total_count: 1, has_more: false });
    expect((await send('DELETE', `/v3/applications/${id}`)).status).toBe(204);
    expect((await send('GET', `/v3/applications/${id}`)).status).toBe(404);
  });

  it.each([
    [{}, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'x', description: 'd'.repeat(501) }, 'description'],
    [{ name: 'x', groups: ['0'.repeat(32)] }, 'groups'],
  ])('POST %j is 400 naming %s', async (wanted, field) => {
    const { status, body } = await send('POST', '/v3/applications', wanted);
    expect([status, body.fields]).toEqual([400, [expect.objectContaining({ name: field })]]);
  });

  it('belongs to groups, from both sides', async () => {
    const id = await application();
    const group = (await send('POST', '/v3/policy-groups', { name: `g-${id}`, permissions: ['commands'] })).body.id;
    expect((await send('POST', `/v3/applications/${id}/groups/add`, [group])).status).toBe(204);
    expect((await send('POST', `/v3/applications/${id}/groups/add`, [group])).status).toBe(409);
    expect((await send('GET', `/v3/policy-groups/${group}`)).body).toMatchObject({ application_count: 1 });
    expect((await send('GET', `/v3/policy-groups/${group}/applications`)).body.data[0]).toMatchObject({ id });
    expect((await send('GET', `/v3/applications/${id}/groups`)).body).toMatchObject({ total_count: 2 });
    expect((await send('POST', `/v3/applications/${id}/groups/remove`, [group])).status).toBe(204);
    const added = await send('POST', `/v3/policy-groups/${group}/applications/add`, { applications: [id] });
    expect([added.status, added.body.application_count]).toEqual([200, 1]);
    const removed = await send('POST', `/v3/policy-groups/${group}/applications/remove`, { applications: [id] });
    expect([removed.status, removed.body.application_count]).toEqual([200, 0]);
  });

  it.each([
    [4, 'the free tier', { tier: '0' }],
    [25, 'the commercial tier', { tier: '1' }],
    [1, 'a quota', { limits: { applications: 1 } }],
  ])('at most %i, as %s allows', async (max, _, fields) => {
    const tenant = await send('POST', '/v3/accounts', { display_name: 'Small', ...fields });
    const key = String(tenant.body.admin_key);
    const make = (): Promise<Reply> => gateway.call('/v3/applications', { method: 'POST', body: { name: 'x' }, key });
    for (let n = 0; n < max; n++) expect((await make()).status).toBe(201);
    const { status, body } = await make();
    expect([status, body.type]).toEqual([403, 'account_limit_exceeded']);
  });
});

describe('access keys', () => {
  it('two of them prove one application, are shown once, and end alone', async () => {
    const id = await application();
    const [one, two] = [await accessKey(id), await accessKey(id)];
    expect(one.key).toMatch(/^ak_2[0-9a-f]{64}[0-9A-Za-z]{32}$/);
    expect(await come(one.key)).toEqual({ status: 200, keyId: id });
    expect(await come(two.key)).toEqual({ status: 200, keyId: id });
    const third = await send('POST', `/v3/applications/${id}/access-keys`, { name: 'x' });
    expect([third.status, third.body.type]).toEqual([403, 'account_limit_exceeded']);
    const listed = await send('GET', `/v3/applications/${id}/access-keys`);
    expect(listed.body).toMatchObject({ total_count: 2 });
    expect(listed.text).not.toContain(one.key.slice(-32));
    expect((await send('DELETE', `/v3/applications/${id}/access-keys/${one.id}`)).status).toBe(204);
    expect((await come(one.key)).status).toBe(401);
    expect((await come(two.key)).status).toBe(200);
    expect((await send('PUT', `/v3/applications/${id}`, { status: 'INACTIVE' })).status).toBe(200);
    expect((await come(two.key)).status).toBe(401);
  });

  it('are announced as secrets of the application, and their end too', async () => {
    const id = await application();
    const one = await accessKey(id);
    // On a busy machine, the time may have passed when the service reads it, which refuses the key then.
    const { expiration, ...two } = await eventually(async () => {
      const expiration = new Date(Date.now() + 6_000).toISOString();
      return { ...(await accessKey(id, { expiration })), expiration };
    });
    const hash = hashSecret(one.key.slice(-32));
    // The second may end before the test looks: what was announced before counts.
    await eventually(() =>
      expect(history).toContainEqual(
        expect.objectContaining({
          keyId: id,
          hash,
          status: 'active',
          previousHashes: [{ hash: hashSecret(two.key.slice(-32)), until: expiration }],
        }),
      ),
    );
    await eventually(() =>
      expect(announced.get(id)).toEqual(expect.not.objectContaining({ previousHashes: expect.anything() })),
    );
    expect((await come(two.key)).status).toBe(401);
    expect((await send('GET', `/v3/access-keys/${two.id}`)).body).toMatchObject({ status: 'EXPIRED' });
    expect((await send('GET', `/v3/access-keys?application_id__eq=${id}&status__eq=EXPIRED`)).body).toMatchObject({
      total_count: 1,
    });
    await send('PUT', `/v3/applications/${id}/access-keys/${one.id}`, { status: 'INACTIVE' });
    await eventually(() => expect(announced.get(id)?.status).toBe('inactive'));
    await send('DELETE', `/v3/applications/${id}`);
    await eventually(() => expect(announced.get(id)?.status).toBe('deleted'));
  });

  it.each([
    [{}, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'x', description: 'd'.repeat(501) }, 'description'],
    [{ name: 'x', status: 'EXPIRED' }, 'status'],
  ])('POST %j is 400 naming %s', async (wanted, field) => {
    const { status, body } = await send('POST', `/v3/applications/${await application()}/access-keys`, wanted);
    expect([status, body.fields]).toEqual([400, [expect.objectContaining({ name: field })]]);
  });

  it('400 where the offset of an expiration leads beyond the year 9999', async () => {
    const path = `/v3/applications/${await application()}/access-keys`;
    const { status, body } = await send('POST', path, { name: 'Key', expiration: '9999-12-31T23:59:59-12:00' });
    expect([status, body.fields]).toEqual([400, [expect.objectContaining({ name: 'expiration' })]]);
  });

  it('say when they and their application were used last', async () => {
    const id = await application();
    const { id: keyId, key } = await accessKey(id);
    expect((await come(key)).status).toBe(200);
    await eventually(async () => {
      expect((await send('GET', `/v3/access-keys/${keyId}`)).body).toHaveProperty('last_used_at');
      expect((await send('GET', `/v3/applications/${id}`)).body).toHaveProperty('last_used_at');
    });
  });

  it('GET /v3/session 401 when another replica has deleted the last one a moment ago', async () => {
    const startedMs = Date.now();
    const clock = { ...systemClock, now: () => startedMs };
    const other = await startService(definition, gateway.config(), withProviders([CLOCK, clock]));
    try {
      const id = await application();
      const { id: keyId, key } = await accessKey(id);
      const show = async (): Promise<number> =>
        (await fetch(`${other.url}/v3/session`, { headers: { authorization: `Bearer ${key}` } })).status;
      expect(await show()).toBe(200);
      expect((await send('DELETE', `/v3/applications/${id}/access-keys/${keyId}`)).status).toBe(204);
      expect(await show()).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('of another application or account do not exist', async () => {
    const [mine, other] = [await application(), await application()];
    const { id } = await accessKey(mine);
    expect((await send('GET', `/v3/applications/${other}/access-keys/${id}`)).status).toBe(404);
    const tenant = String((await send('POST', '/v3/accounts', { display_name: 'Other' })).body.admin_key);
    for (const path of [`/v3/applications/${mine}`, `/v3/access-keys/${id}`, `/v3/applications/${mine}/access-keys`])
      expect((await gateway.call(path, { key: tenant })).status).toBe(404);
  });
});

describe('If-Match', () => {
  const cases = async (): Promise<[string, string, object][]> => {
    const id = await application();
    const key = await accessKey(id);
    const group = (await send('POST', '/v3/policy-groups', { name: `etag-${id}` })).body.id;
    return [
      ['PUT', `/v3/applications/${id}`, { name: 'n' }],
      ['PUT', `/v3/applications/${id}/access-keys/${key.id}`, { name: 'n' }],
      ['PUT', `/v3/api-keys/${(await gateway.newKey()).id}`, { name: 'n' }],
      ['PUT', `/v3/policy-groups/${group}`, { name: `n-${id}` }],
      ['PUT', '/v3/accounts/me', { display_name: 'n' }],
    ];
  };

  it('412 for another version, the change for this one, whatever is changed', async () => {
    for (const [method, path, body] of await cases()) {
      const etag = String((await send('GET', path)).headers.get('etag'));
      expect([path, etag]).toEqual([path, expect.stringMatching(/^"\d+"$/)]);
      expect([path, (await send(method, path, body, { 'if-match': '"0"' })).status]).toEqual([path, 412]);
      expect([path, (await send(method, path, body, { 'if-match': etag })).status]).toEqual([path, 200]);
      expect([path, (await send(method, path, body, { 'if-match': etag })).status]).toEqual([path, 412]);
      if (!path.includes('accounts'))
        expect([path, (await send('DELETE', path, undefined, { 'if-match': etag })).status]).toEqual([path, 412]);
    }
  });
});
