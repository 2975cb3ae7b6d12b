import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { identityHeader, newId, verifyIdentity } from '@lanyard/service';
import { identityKeys, TestSystem } from './test-system.js';
import { type Seen, Upstream } from './upstream.js';

let gateway: TestSystem;
const upstreams: Record<string, Upstream> = {};
const names = ['registry', 'device-proxy', 'snapshot', 'event-log', 'campaigns'] as const;

/** Devices that the registry finds in the groups of the caller. */
let mine: string[] = [];
const asked: string[] = [];

/** Answers for the devices of the caller, and echoes everything else. */
const answerScopes = (registry: Upstream): void => {
  registry.echo();
  const echo = registry.handler;
  registry.handler = (request, response) => {
    const id = /^\/device-scope\/(.*)$/.exec(request.url ?? '')?.[1];
    if (id === undefined) return echo(request, response);
    asked.push(id);
    response.writeHead(mine.includes(id) ? 204 : 404).end();
  };
};

beforeAll(async () => {
  for (const name of names) upstreams[name] = await new Upstream().listen();
  answerScopes(upstreams['registry'] as Upstream);
  const urls = names.map((name) => [
    `GATEWAY_${name.toUpperCase().replace('-', '_')}_URLS`,
    upstreams[name]?.url ?? '',
  ]);
  gateway = await (await TestSystem.corner('scopes')).start(Object.fromEntries(urls) as Record<string, string>);
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});
afterEach(() => {
  mine = [];
  asked.length = 0;
});

const groupId = newId();

const limitedKey = async (body: object = {}): Promise<{ id: string; key: string }> =>
  gateway.newKey({ device_groups: [groupId], ...body });

describe('a key with device groups', () => {
  it('shows them, and hands them to every service', async () => {
    const { id, key } = await limitedKey();
    expect((await gateway.call(`/v3/api-keys/${id}`)).body['device_groups']).toEqual([groupId]);
    expect((await gateway.call('/v3/session', { key })).body).toMatchObject({ device_groups: [groupId] });
    const { headers } = (await gateway.call('/v2/endpoints', { key })).body as unknown as Seen;
    const verified = verifyIdentity(
      String(headers[identityHeader]),
      'device-proxy',
      [identityKeys.publicKey],
      Date.now(),
    );
    expect(verified?.identity.deviceGroups).toEqual([groupId]);
  });

  it('is limited further by its key groups, and by the narrowest of them', async () => {
    const wanted = { name: 'narrow', device_groups: [groupId, newId()] };
    const group = (await gateway.call('/v3/policy-groups', { method: 'POST', body: wanted })).body;
    expect(group['device_groups']).toEqual(wanted.device_groups);
    const { key } = await gateway.newKey({ groups: [group.id], device_groups: [newId(), groupId] });
    const scope = async (): Promise<unknown> => (await gateway.call('/v3/session', { key })).body['device_groups'];
    expect(await scope()).toEqual([groupId]);
    await gateway.call(`/v3/policy-groups/${group.id}`, { method: 'PUT', body: { device_groups: [newId()] } });
    expect(await scope()).toEqual([]);
  });

  it('does not administer, not even with the group Administrators', async () => {
    const { id } = (await gateway.call('/v3/policy-groups?name__eq=Administrators')).body.data[0] as { id: string };
    const { key } = await limitedKey({ groups: [id] });
    expect((await gateway.call('/v3/session', { key })).body['permissions']).toEqual(['devices', 'notifications']);
    expect((await gateway.call('/v3/api-keys', { key })).status).toBe(403);
    const last = await gateway.call('/v3/api-keys/me', { method: 'PUT', body: { device_groups: [groupId] } });
    expect([last.status, last.body['message']]).toEqual([
      400,
      expect.stringContaining('neither source addresses nor device groups'),
    ]);
    const fixed = await gateway.call(`/v3/policy-groups/${id}`, { method: 'PUT', body: { device_groups: [groupId] } });
    expect([fixed.status, fixed.body['message']]).toEqual([403, expect.stringContaining('cannot be limited')]);
  });

  it('cannot lift its limit; an administrator can', async () => {
    const { id, key } = await limitedKey({ source_addresses: ['127.0.0.1'] });
    for (const body of [{ device_groups: null }, { device_groups: [newId()] }, { source_addresses: null }])
      expect((await gateway.call('/v3/api-keys/me', { method: 'PUT', key, body })).status).toBe(403);
    expect((await gateway.call('/v3/api-keys/me', { method: 'PUT', key, body: { name: 'own' } })).status).toBe(200);
    const lifted = await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { device_groups: null } });
    expect([lifted.status, lifted.body['device_groups']]).toEqual([200, null]);
    expect((await gateway.call('/v3/session', { key })).body['device_groups']).toBeNull();
  });

  it.each([
    [{ device_groups: [] }, 'device_groups'],
    [{ device_groups: ['x'] }, 'device_groups.0'],
    [{ device_groups: 'x' }, 'device_groups'],
    [{ source_addresses: ['10.0.0.0/40'] }, 'source_addresses.0'],
    [{ source_addresses: ['example.com'] }, 'source_addresses.0'],
    [{ source_addresses: [] }, 'source_addresses'],
  ])('400 for %j names the field', async (body, name) => {
    const { status, body: error } = await gateway.call('/v3/api-keys', {
      method: 'POST',
      body: { name: 'n', ...body },
    });
    expect([status, error['fields']]).toMatchObject([400, [{ name }]]);
  });
});

describe('a path that names a device', () => {
  const paths = (id: string): [method: string, path: string][] => [
    ['GET', `/v3/devices/${id}`],
    ['PUT', `/v3/devices/${id}`],
    ['DELETE', `/v3/devices/${id}`],
    ['POST', `/v3/devices/${id}/suspend`],
    ['GET', `/v3/devices/${id}/credentials`],
    ['GET', `/v3/devices/${id}/echo`],
    ['GET', `/v2/endpoints/${id}`],
    ['PUT', `/v2/endpoints/${id}/3303/0/5700`],
    ['PUT', `/v2/subscriptions/${id}/3303/0/5700`],
    ['POST', `/v2/device-requests/${id}`],
  ];

  it('is forwarded for a device of the key, and answered 404 for another, which no service hears of', async () => {
    const { key } = await limitedKey();
    const [own, other] = [newId(), newId()];
    mine = [own];
    for (const [method, path] of paths(own))
      expect([path, (await gateway.call(path, { method, key })).status]).toEqual([path, 200]);
    const seen = Object.values(upstreams).reduce((sum, { requests }) => sum + requests, 0);
    const answers = await Promise.all(
      [...paths(other), ...paths(newId())].map(async ([method, path]) => {
        const { status, text } = await gateway.call(path, { method, key, headers: { accept: 'application/json' } });
        return `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^404 /);
    // Only the registry was asked.
    expect(Object.values(upstreams).reduce((sum, { requests }) => sum + requests, 0)).toBe(seen + answers.length);
  });

  it.each(['%s/', '/%s', '%s;x', '%s%%20', '..%%2F%s', '%s%%2F..%%2F%s', '%S'])(
    'is read in one spelling only: %s',
    async (spelling) => {
      const { key } = await limitedKey();
      const [own, other] = [`0a${newId().slice(2)}`, newId()];
      mine = [own];
      const id = spelling.replaceAll('%s', own).replaceAll('%S', own.toUpperCase()).replaceAll('%%', '%');
      for (const path of [`/v2/endpoints/${id}`, `/v3/devices/${id}`, `/v2/endpoints/${own}/../${other}`]) {
        const { status, body } = await gateway.call(path, { key });
        if (status === 200) expect((body as unknown as Seen).url).toMatch(new RegExp(`/${own}$`));
        else expect([400, 404]).toContain(status);
      }
    },
  );

  it('503 when the registry does not answer: nothing is guessed', async () => {
    const { key } = await limitedKey();
    const registry = upstreams['registry'] as Upstream;
    registry.handler = (_, response) => response.writeHead(500).end();
    try {
      expect((await gateway.call(`/v2/endpoints/${newId()}`, { key })).status).toBe(503);
    } finally {
      answerScopes(registry);
    }
  });

  it('503 when the registry accepts the question and says nothing', async () => {
    const { key } = await limitedKey();
    const registry = upstreams['registry'] as Upstream;
    registry.handler = () => undefined;
    try {
      expect((await gateway.call(`/v2/endpoints/${newId()}`, { key })).status).toBe(503);
    } finally {
      answerScopes(registry);
    }
  });

  it('is not looked up for other keys', async () => {
    const { key } = await gateway.newKey();
    expect((await gateway.call(`/v2/endpoints/${newId()}`, { key })).status).toBe(200);
    expect(asked).toEqual([]);
  });
});

it.each([
  ['POST', '/v3/devices'],
  ['POST', '/v3/device-groups'],
  ['DELETE', `/v3/device-groups/${newId()}`],
  ['GET', '/v3/device-queries'],
  ['POST', '/v3/device-imports'],
  ['GET', '/v3/trusted-certificates'],
  ['PUT', `/v3/bootstrap-profiles/${newId()}`],
  ['POST', '/v3/object-models'],
  ['POST', '/v3/firmware-images'],
])('403 for %s %s, which concerns the whole account', async (method, path) => {
  const { key } = await limitedKey();
  const { status, body } = await gateway.call(path, { method, key, ...(method !== 'GET' && { body: '{}' }) });
  expect([status, body['message']]).toEqual([403, expect.stringContaining('whole account')]);
});

describe('a key with source addresses', () => {
  it('is refused from elsewhere, and says so only to who has its secret', async () => {
    const { id, key } = await gateway.newKey({ source_addresses: ['192.0.2.0/24', '2001:db8::/32'] });
    const elsewhere = await gateway.call('/v3/api-keys/me', { key });
    expect([elsewhere.status, elsewhere.body['message']]).toEqual([403, expect.stringContaining('source_addresses')]);
    expect((await gateway.call('/v3/session', { method: 'POST', key: null, body: { api_key: key } })).status).toBe(403);
    const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
    expect((await gateway.call('/v3/api-keys/me', { key: wrong })).status).toBe(401);
    const body = { source_addresses: ['127.0.0.0/8'] };
    expect((await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body })).status).toBe(200);
    expect((await gateway.call('/v3/api-keys/me', { key })).status).toBe(200);
  });

  it('ends its sessions elsewhere', async () => {
    const { id, key } = await gateway.newKey();
    const signedIn = await gateway.call('/v3/session', { method: 'POST', key: null, body: { api_key: key } });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
    const show = async (): Promise<number> =>
      (await gateway.call('/v3/session', { key: null, headers: { cookie } })).status;
    expect(await show()).toBe(200);
    await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { source_addresses: ['192.0.2.1'] } });
    expect(await show()).toBe(403);
  });

  it('does not count as the administrator that has to remain', async () => {
    const reply = await gateway.call('/v3/api-keys/me', { method: 'PUT', body: { source_addresses: ['127.0.0.1'] } });
    expect(reply.status).toBe(400);
  });
});
