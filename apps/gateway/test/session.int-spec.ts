import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOCK, formatTimestamp, newSecret, type RunningService, startService } from '@lanyard/service';
import { TestClock, withProviders } from '@lanyard/testing';
import pg from 'pg';
import { definition } from '../src/app.module.js';
import { newSessionToken } from '../src/authentication/session-cookie.js';
import { sessionsPerPrincipalMax } from '../src/authentication/sessions.js';
import { watchPeriodMs } from '../src/proxy/caller-watch.js';
import { TestSystem, type CallInit, type Reply } from './test-system.js';
import { Upstream } from './upstream.js';

const hourMs = 3_600_000;
const clock = new TestClock(Date.now());
const variables = {
  GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000',
  GATEWAY_KEY_RATE_BURST: '10000',
  GATEWAY_TRUSTED_PROXIES: '1',
};
let gateway: TestSystem;
let registry: Upstream;

beforeAll(async () => {
  registry = await new Upstream().listen();
  gateway = await (
    await TestSystem.corner('session')
  ).start({ ...variables, GATEWAY_REGISTRY_URLS: registry.url }, withProviders([CLOCK, clock]));
});
afterAll(async () => {
  await gateway?.stop();
  await registry?.stop();
});

const own = { 'x-requested-with': 'lanyard' };

const signIn = (key: string, headers: Record<string, string> = {}): Promise<Reply> =>
  gateway.call('/v3/session', { method: 'POST', key: null, body: { api_key: key }, headers });

const cookieOf = ({ headers }: Reply): string => (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;

/** A browser that is signed in. */
const browser = async (key: string) => {
  const reply = await signIn(key);
  expect(reply.status).toBe(200);
  const cookie = cookieOf(reply);
  const call = (path: string, init: CallInit = {}): Promise<Reply> =>
    gateway.call(path, { key: null, ...init, headers: { cookie, ...init.headers } });
  return { cookie, reply, call, show: async () => (await call('/v3/session')).status };
};

/** The registry's responses stay open meanwhile. */
const withOpenResponses = async (work: () => Promise<void>): Promise<void> => {
  registry.handler = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n');
  try {
    await work();
  } finally {
    registry.echo();
  }
};

/** A response that stays open. */
const follow = async (headers: Record<string, string>) => {
  const response = await fetch(`${gateway.service.url}/v3/devices`, { headers });
  const reader = response.body?.getReader() as ReadableStreamDefaultReader;
  await reader.read();
  let isOpen = true;
  const end = reader.read().then(
    () => (isOpen = false),
    () => (isOpen = false),
  );
  return { end, isOpen: () => isOpen, leave: () => reader.cancel().catch(() => undefined) };
};

describe('signing in', () => {
  it('sets a cookie that no script reads and no other site sends, and says who one is', async () => {
    const { reply, call } = await browser(gateway.adminKey);
    const cookie = reply.headers.get('set-cookie') as string;
    expect(cookie).toMatch(/^lanyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(reply.body).toMatchObject({
      object: 'session',
      account_id: gateway.accountId,
      account_name: 'Default',
      signed_in_with: 'api_key',
      subject: { type: 'api-key', name: 'First administrator' },
      permissions: expect.arrayContaining(['admin', 'devices', 'notifications', 'installation']),
      device_groups: null,
      expires_at: formatTimestamp(clock.now() + 12 * hourMs),
    });
    expect((await call('/v3/session')).body).toEqual(reply.body);
    expect(reply.text).not.toContain(gateway.adminKey.slice(-32));
  });

  it('by https is for https only, as the proxy in front or the public URL says', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const reply = await signIn(gateway.adminKey, https);
    expect(reply.headers.get('set-cookie')).toMatch(/^__Host-lanyard_session=.*; Path=\/; .*; Secure$/);
    const cookie = cookieOf(reply);
    const show = async (given: Record<string, string>): Promise<number> =>
      (await gateway.call('/v3/session', { key: null, headers: given })).status;
    expect(await show({ cookie, ...https })).toBe(200);
    // What another host of the domain could have planted is no session.
    expect(await show({ cookie: cookie.replace('__Host-', ''), ...https })).toBe(401);
    expect(await show({ cookie })).toBe(401);
  });

  it('401 with a wrong key, without a cookie; 400 without one', async () => {
    const wrong = gateway.adminKey.slice(0, 68);
    const reply = await signIn(wrong + newSecret(wrong.slice(4, 36), wrong.slice(36)));
    expect([reply.status, reply.body['type'], reply.headers.get('set-cookie')]).toEqual([401, 'invalid_apikey', null]);
    const none = await gateway.call('/v3/session', { method: 'POST', key: null, body: {} });
    expect([none.status, none.body['fields']]).toMatchObject([400, [{ name: 'api_key' }]]);
  });

  it('403 from a page of another origin, which would sign its visitor in to an account of its own', async () => {
    const others: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ];
    for (const headers of others) expect((await signIn(gateway.adminKey, headers)).status).toBe(403);
    expect((await signIn(gateway.adminKey, { origin: gateway.service.url })).status).toBe(200);
  });

  it('again replaces the session, so that a planted cookie is worth nothing', async () => {
    const planted = await browser((await gateway.newKey()).key);
    const after = await signIn(gateway.adminKey, { cookie: planted.cookie });
    expect(cookieOf(after)).not.toBe(planted.cookie);
    expect(await planted.show()).toBe(401);
  });

  it('is not needed for GET: a key in the header is shown, with its expiry', async () => {
    const expiration = new Date(clock.now() + hourMs).toISOString();
    const { id, key } = await gateway.newKey({ name: 'program', expiration });
    const { body } = await gateway.call('/v3/session', { key });
    expect(body).toMatchObject({
      subject: { type: 'api-key', id, name: 'program' },
      expires_at: formatTimestamp(Date.parse(expiration)),
    });
    expect((await gateway.call('/v3/session')).body['expires_at']).toBeNull();
    expect((await gateway.call('/v3/session', { key: null })).status).toBe(401);
  });

  it('with the access key of an application', async () => {
    const application = (await gateway.call('/v3/applications', { method: 'POST', body: { name: 'app' } })).body.id;
    const path = `/v3/applications/${application}/access-keys`;
    const made = (await gateway.call(path, { method: 'POST', body: { name: 'k' } })).body;
    const { call, show } = await browser(made.key);
    expect((await call('/v3/session')).body['subject']).toEqual({ type: 'application', id: application, name: 'app' });
    await gateway.call(`${path}/${made.id}`, { method: 'DELETE' });
    expect(await show()).toBe(401);
  });
});

describe('a session', () => {
  it('is forwarded with the identity of its key, and the cookie goes to no service', async () => {
    const { id, key } = await gateway.newKey();
    const { call } = await browser(key);
    const { body } = await call('/v3/devices');
    const headers = body['headers'] as Record<string, string>;
    const [claims = ''] = headers['x-lanyard-identity']?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ keyId: id });
    expect(headers).not.toHaveProperty('cookie');
  });

  it('has the permissions that its key has now', async () => {
    const group = (
      await gateway.call('/v3/policy-groups', { method: 'POST', body: { name: 'now', permissions: ['devices.read'] } })
    ).body.id;
    const { key } = await gateway.newKey({ groups: [group] });
    const { call } = await browser(key);
    expect((await call('/v3/devices')).status).toBe(200);
    await gateway.call(`/v3/policy-groups/${group}`, { method: 'PUT', body: { permissions: ['commands'] } });
    expect((await call('/v3/devices')).status).toBe(403);
    expect((await call('/v3/session')).body['permissions']).toEqual(['commands']);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['deleted', (id) => gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' })],
    ['switched off', (id) => gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { status: 'INACTIVE' } })],
    ['reset', (id) => gateway.call(`/v3/api-keys/${id}/reset-secret`, { method: 'POST' })],
    ['expired', () => clock.advance(600_000)],
  ])('ends at once when its key is %s', async (_, end) => {
    const { id, key } = await gateway.newKey({ expiration: new Date(clock.now() + 600_000).toISOString() });
    const { show } = await browser(key);
    expect(await show()).toBe(200);
    await end(id);
    expect(await show()).toBe(401);
  });

  it('ends with the overlap of a rotation if it was opened with the previous secret', async () => {
    const { id, key } = await gateway.newKey();
    const { show } = await browser(key);
    await gateway.call(`/v3/api-keys/${id}/rotate`, { method: 'POST' });
    expect(await show()).toBe(200);
    await gateway.call(`/v3/api-keys/${id}/previous-secret`, { method: 'DELETE' });
    expect(await show()).toBe(401);
  });

  it('ends after an hour without a request, and after twelve in any case', async () => {
    const [used, unused] = [await browser(gateway.adminKey), await browser(gateway.adminKey)];
    for (let n = 0; n < 12; n++) {
      await clock.advance(hourMs - 120_000);
      expect(await used.show()).toBe(200);
    }
    expect(await unused.show()).toBe(401);
    await clock.advance(12 * 120_000);
    expect(await used.show()).toBe(401);
  });

  it('ends on every replica when one signs out', async () => {
    const config = gateway.config(variables);
    const other: RunningService = await startService(definition, config, withProviders([CLOCK, clock]));
    try {
      const { cookie, call } = await browser(gateway.adminKey);
      const onOther = async (): Promise<number> =>
        (await fetch(`${other.url}/v3/session`, { headers: { cookie } })).status;
      expect(await onOther()).toBe(200);
      const out = await call('/v3/session', { method: 'DELETE', headers: own });
      expect(out.status).toBe(204);
      expect(out.headers.get('set-cookie')).toMatch(/^lanyard_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict/);
      expect(await onOther()).toBe(401);
      expect((await call('/v3/session', { method: 'DELETE', headers: own })).status).toBe(204);
    } finally {
      await other.stop();
    }
  });

  it('ends the responses that stay open, and no other one of its key', () =>
    withOpenResponses(async () => {
      const { key } = await gateway.newKey();
      const [ended, other] = [await browser(key), await browser(key)];
      const mine = await follow({ cookie: ended.cookie });
      const others = [await follow({ cookie: other.cookie }), await follow({ authorization: `Bearer ${key}` })];
      await clock.advance(watchPeriodMs);
      // A look at the sessions has been answered by then.
      expect(await ended.show()).toBe(200);
      await ended.call('/v3/session', { method: 'DELETE', headers: own });
      expect(mine.isOpen()).toBe(true);
      await clock.advance(watchPeriodMs);
      await mine.end;
      // A later look at the sessions of the others has been answered by then.
      expect(await other.show()).toBe(200);
      expect(others.map(({ isOpen }) => isOpen())).toEqual([true, true]);
      for (const { leave } of others) await leave();
    }));

  it('of one key are a bounded number: the oldest ends', async () => {
    const { key } = await gateway.newKey();
    const first = await browser(key);
    await clock.advance(1);
    for (let n = 0; n < sessionsPerPrincipalMax; n++) await signIn(key);
    expect(await first.show()).toBe(401);
  });
});

describe('a response that stays open', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is deleted', (id) => gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' })],
    ['expires', () => clock.advance(600_000)],
    [
      'may not be used from there any more',
      (id) => gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { source_addresses: ['192.0.2.1'] } }),
    ],
  ])('ends when its key %s', (_, change) =>
    withOpenResponses(async () => {
      const { id, key } = await gateway.newKey({ expiration: new Date(clock.now() + 600_000).toISOString() });
      const { cookie } = await browser(key);
      const streams = [await follow({ authorization: `Bearer ${key}` }), await follow({ cookie })];
      await clock.advance(watchPeriodMs);
      // A look at the key has been answered by then.
      expect((await gateway.call('/v3/session', { key })).status).toBe(200);
      expect(streams.map(({ isOpen }) => isOpen())).toEqual([true, true]);
      await change(id);
      await clock.advance(watchPeriodMs);
      await Promise.all(streams.map(({ end }) => end));
    }),
  );

  it('continues while its key cannot be read', () =>
    withOpenResponses(async () => {
      const { key } = await gateway.newKey();
      const { cookie, show } = await browser(key);
      const streams = [await follow({ authorization: `Bearer ${key}` }), await follow({ cookie })];
      const client = new pg.Client({ connectionString: gateway.isolation.databaseUrl });
      await client.connect();
      try {
        await client.query('ALTER TABLE access.accounts RENAME TO accounts_away');
        try {
          await clock.advance(watchPeriodMs);
          // The looks at the key have failed by then, as these requests do.
          expect((await gateway.call('/v3/session', { key })).status).toBeGreaterThanOrEqual(500);
          expect(await show()).toBeGreaterThanOrEqual(500);
        } finally {
          await client.query('ALTER TABLE access.accounts_away RENAME TO accounts');
        }
      } finally {
        await client.end();
      }
      expect(streams.map(({ isOpen }) => isOpen())).toEqual([true, true]);
      for (const { leave } of streams) await leave();
    }));
});

describe('a request with a session', () => {
  const suspend = (headers: Record<string, string>): CallInit => ({ method: 'POST', body: {}, headers });

  it('that changes something needs X-Requested-With: 403 says so, and nothing is forwarded', async () => {
    const { call } = await browser(gateway.adminKey);
    const before = registry.requests;
    for (const headers of [{}, { 'x-requested-with': 'XMLHttpRequest' }]) {
      const { status, body } = await call('/v3/devices', suspend(headers as Record<string, string>));
      expect([status, body['message']]).toEqual([403, expect.stringContaining('X-Requested-With: lanyard')]);
    }
    expect(registry.requests).toBe(before);
    expect((await call('/v3/devices', suspend(own))).status).toBe(200);
    const out = await call('/v3/session', { method: 'DELETE' });
    expect(out.status).toBe(403);
  });

  it.each<[string, Record<string, string>, number]>([
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['the same host on another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['another site, by GET without Origin', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another subdomain', { 'sec-fetch-site': 'same-site' }, 403],
    ['this server, by GET without Origin', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the address bar', { 'sec-fetch-site': 'none' }, 200],
  ])('of a page: %s', async (_, headers, status) => {
    const { call } = await browser(gateway.adminKey);
    expect((await call('/v3/devices', { headers })).status).toBe(status);
    expect((await call('/v3/device-events/stream', { headers })).status).toBe(status === 403 ? 403 : 503);
  });

  it('and a key has the rights of the key', async () => {
    const { cookie } = await browser(gateway.adminKey);
    const { key } = await gateway.newKey();
    expect((await gateway.call('/v3/api-keys', { key, headers: { cookie } })).status).toBe(403);
    expect((await gateway.call('/v3/api-keys', { key: 'none', headers: { cookie } })).status).toBe(401);
  });

  it('401 for an unknown cookie, one of another form, and two of them', async () => {
    const { cookie } = await browser(gateway.adminKey);
    for (const given of [
      `lanyard_session=${newSessionToken()}`,
      'lanyard_session=',
      "lanyard_session=' OR 1=1",
      `${cookie}; lanyard_session=x`,
    ]) {
      const { status, body } = await gateway.call('/v3/session', { key: null, headers: { cookie: given } });
      expect([given, status, body['type']]).toEqual([given, 401, 'invalid_session']);
    }
    expect((await gateway.call('/v3/session', { key: null, headers: { cookie: `a=b; ${cookie}; c` } })).status).toBe(
      200,
    );
  });
});

describe('an address that guesses', () => {
  it('429 for sign-ins and unknown cookies, and its known sessions keep working', async () => {
    const guarded = await startService(
      definition,
      gateway.config({ ...variables, GATEWAY_UNAUTHENTICATED_RATE_BURST: '3' }),
      withProviders([CLOCK, clock]),
    );
    try {
      const ask = (method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
        fetch(`${guarded.url}/v3/session`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const signedIn = await ask('POST', {}, { api_key: gateway.adminKey });
      const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) statuses.push((await ask('POST', {}, { api_key: 'ak_1wrong' })).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
      expect((await ask('GET', { cookie: `lanyard_session=${newSessionToken()}` })).status).toBe(429);
      expect((await ask('DELETE', { authorization: `Bearer ls_${newSessionToken()}` })).status).toBe(429);
      expect((await ask('GET', { cookie })).status).toBe(200);
      expect((await ask('DELETE', { cookie, ...own })).status).toBe(204);
    } finally {
      await guarded.stop();
    }
  });
});

it('no table contains a cookie', async () => {
  const { cookie } = await browser(gateway.adminKey);
  const client = new pg.Client({ connectionString: gateway.isolation.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT * FROM access.sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
  } finally {
    await client.end();
  }
});
