import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { CLOCK, createLogger, newId } from '@lanyard/service';
import { eventually, OidcProcess, TestClock, withProviders } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { UsersService } from '../src/access/users.service.js';
import { periodMs } from '../src/authentication/refusals.js';
import { KeyGroup } from '../src/db/key-group.entity.js';
import { UserNotFound } from '../src/errors.js';
import { Browser } from './plain-browser.js';
import { RecordedEvents } from './recorded-events.js';
import { TestSystem } from './test-system.js';

const publicUrl = 'https://lanyard.example';
const session = '__Host-lanyard_session';
const clock = new TestClock(Date.now());

let gateway: TestSystem;
let provider: OidcProcess;
let recorded: RecordedEvents;
/** Key groups: what the roles give. */
const groups = { operators: '', readers: '' };

/** The first start makes the account and its groups, whose ids the settings name. */
beforeAll(async () => {
  provider = await OidcProcess.start(`${publicUrl}/v3/session/oidc/callback`);
  gateway = await (await TestSystem.corner('oidc')).start();
  for (const name of ['operators', 'readers'] as const) {
    const permissions = name === 'operators' ? ['devices', 'notifications'] : ['devices.read'];
    const body = { name, permissions, ...(name === 'readers' && { device_groups: ['d'.repeat(32)] }) };
    groups[name] = (await gateway.call('/v3/policy-groups', { method: 'POST', body })).body.id;
  }
  await gateway.service.stop();
  await gateway.start(
    {
      GATEWAY_PUBLIC_URL: publicUrl,
      GATEWAY_OIDC_ISSUER: provider.issuer,
      GATEWAY_OIDC_CLIENT_ID: 'lanyard',
      GATEWAY_OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
      GATEWAY_OIDC_SCOPES: 'openid profile email groups',
      GATEWAY_OIDC_ROLES: `ops=${groups.operators},read=${groups.readers},half=${groups.operators},half=${newId()}`,
      GATEWAY_OIDC_NAME: 'Test provider',
      GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000',
    },
    withProviders([CLOCK, clock]),
  );
  recorded = await RecordedEvents.of(gateway);
});
afterAll(async () => {
  await recorded?.stop();
  await gateway?.stop();
  await provider?.stop();
});

/** The same address as the browser's, on the port of the test. */
const here = (url: string): string => url.replace(publicUrl, gateway.service.url);

/** Signs in at the provider; answers where the callback leads. */
const signIn = async (
  browser: Browser,
  path = '/v3/session/oidc/start',
  change = (url: string): string => url,
): Promise<string> => {
  const start = await browser.open(gateway.service.url + path);
  expect(start.status).toBe(302);
  const back = await browser.throughProvider(provider.issuer, start.headers.get('location') as string);
  const callback = await browser.open(here(change(back)));
  expect(callback.status).toBe(302);
  return callback.headers.get('location') as string;
};

const show = async (browser: Browser): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await browser.open(`${gateway.service.url}/v3/session`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const ada = { name: 'Ada', email: 'ada@example.com', email_verified: true, groups: ['ops', 'others'] };

describe('signing in with a browser', () => {
  it('makes a user with the key groups of its roles, and leads back to the page', async () => {
    expect((await gateway.call('/v3/session/oidc', { key: null })).body).toEqual({
      object: 'oidc',
      enabled: true,
      name: 'Test provider',
    });
    await provider.setUser('ada', ada);
    const browser = new Browser();
    expect(await signIn(browser, '/v3/session/oidc/start?return_to=/console/devices?state=registered')).toBe(
      '/console/devices?state=registered',
    );
    expect(browser.cookie('__Host-lanyard_oidc')).toBeUndefined();
    const { status, body } = await show(browser);
    expect([status, body]).toMatchObject([
      200,
      { signed_in_with: 'oidc', subject: { type: 'user', name: 'Ada' }, permissions: ['devices', 'notifications'] },
    ]);
    const { id } = body['subject'] as { id: string };
    const user = (await gateway.call(`/v3/users/${id}`)).body;
    expect(user).toMatchObject({
      subject: 'ada',
      email: 'ada@example.com',
      groups: [groups.operators],
      status: 'ACTIVE',
    });
    const members = await gateway.call(`/v3/policy-groups/${groups.operators}/users`);
    expect(members.body.data.map((one) => one['id'])).toEqual([id]);
    // The same person again is the same user.
    const second = new Browser();
    await signIn(second);
    expect((await show(second)).body['subject']).toEqual(body['subject']);
  });

  it('takes the limit of the key group', async () => {
    await provider.setUser('bea', { name: 'Bea', groups: ['read'] });
    const browser = new Browser();
    await signIn(browser);
    expect((await show(browser)).body).toMatchObject({
      permissions: ['devices.read'],
      device_groups: ['d'.repeat(32)],
    });
  });

  it.each<[string, string | null, object | undefined]>([
    ['no_role', 'cyd', { name: 'Cyd', groups: ['others'] }],
    ['no_role', 'dan', { name: 'Dan', groups: 'no list', roles: ['ops'] }],
    ['denied', null, undefined],
    // The key group that is missing could be the one that limits the role to device groups.
    ['failed', 'kim', { name: 'Kim', groups: ['half', 'ops'] }],
  ])('%s leads to the console with the reason, and to no session', async (reason, who, claims) => {
    await provider.setUser(who, claims);
    const browser = new Browser();
    const location = await signIn(browser);
    expect(location).toMatch(new RegExp(`^/console\\?sign_in_error=${reason}&request_id=[\\w-]+$`));
    expect(browser.cookie(session)).toBeUndefined();
  });

  it('fails with another state, without the browser that began, with a forged or a used code', async () => {
    await provider.setUser('ada', ada);
    const failed = expect.stringContaining('sign_in_error=failed');
    const change =
      (name: string) =>
      (url: string): string => {
        const changed = new URL(url);
        changed.searchParams.set(name, 'forged');
        return changed.href;
      };
    for (const name of ['state', 'code', 'iss']) {
      const browser = new Browser();
      expect([name, await signIn(browser, undefined, change(name))]).toEqual([name, failed]);
      expect(browser.cookie(session)).toBeUndefined();
    }
    let used = '';
    await signIn(new Browser(), undefined, (url) => (used = url));
    const other = new Browser();
    expect((await other.open(here(used))).headers.get('location')).toEqual(failed);
    expect(await signIn(other, undefined, () => used)).toEqual(failed);
    expect(other.cookie(session)).toBeUndefined();
  });

  it('leads nowhere else, and replaces a planted session', async () => {
    await provider.setUser('ada', ada);
    const browser = new Browser();
    expect(await signIn(browser, '/v3/session/oidc/start?return_to=//evil.example')).toBe('/console');
    const planted = browser.cookie(session);
    await signIn(browser);
    expect(browser.cookie(session)).not.toBe(planted);
    const old = await gateway.call('/v3/session', { key: null, headers: { cookie: `${session}=${planted}` } });
    expect(old.status).toBe(401);
  });
});

describe('a session of a user', () => {
  const opened = async (who: string, claims: object): Promise<{ browser: Browser; id: string }> => {
    await provider.setUser(who, claims);
    const browser = new Browser();
    await signIn(browser);
    return { browser, id: ((await show(browser)).body['subject'] as { id: string }).id };
  };
  const renewalMs = 301_000;

  it('asks the provider when its token ends, and has the roles of then', async () => {
    const { browser } = await opened('eve', { name: 'Eve', groups: ['ops'] });
    await provider.setUser('eve', { name: 'Eve', groups: ['read'] });
    expect((await show(browser)).body['permissions']).toEqual(['devices', 'notifications']);
    await clock.advance(renewalMs);
    // Requests of a page come together; a refresh token is good once.
    const answers = await Promise.all([show(browser), show(browser), show(browser)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await show(browser)).body['permissions']).toEqual(['devices.read']);
    await clock.advance(renewalMs);
    expect((await show(browser)).status).toBe(200);
  });

  it('renews more sessions at once than there are connections of PostgreSQL', async () => {
    const browsers = [];
    for (let n = 0; n < 15; n++) browsers.push((await opened(`ivy-${n}`, { name: 'Ivy', groups: ['ops'] })).browser);
    await clock.advance(renewalMs);
    const answers = await Promise.all(browsers.map((browser) => show(browser)));
    expect(answers.map(({ status }) => status)).toEqual(browsers.map(() => 200));
  });

  it.each<[string, object]>([
    ['is gone at the provider', { name: 'Fay', groups: ['ops'], gone: true }],
    ['has no role any more', { name: 'Fay', groups: [] }],
    ['has a role whose key group is missing', { name: 'Fay', groups: ['ops', 'half'] }],
  ])('ends at the next renewal when the person %s', async (_, later) => {
    const who = `fay-${newId()}`;
    const { browser } = await opened(who, { name: 'Fay', groups: ['ops'] });
    await provider.setUser(who, later);
    await clock.advance(renewalMs);
    expect((await show(browser)).status).toBe(401);
  });

  it('ends with the token of a provider that gives no refresh token', async () => {
    const { browser } = await opened('gil', { name: 'Gil', groups: ['ops'], withoutRefresh: true });
    expect((await show(browser)).status).toBe(200);
    await clock.advance(renewalMs);
    expect((await show(browser)).status).toBe(401);
  });

  it('is announced with the limit that a key group got while the person signed in', async () => {
    const { service } = gateway;
    const { topicPrefix } = gateway.isolation;
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const kafka = new KafkaConnection({ ...gateway.config().kafka, topicPrefix, clientId: 'test', logger });
    const keys = new StateReader(kafka, AccessKeys, { project: (value) => value, onFatal: () => undefined });
    await keys.start();
    try {
      const { id } = (await gateway.call('/v3/policy-groups', { method: 'POST', body: { name: 'late' } })).body;
      const before = await service.app.get(DataSource).manager.findBy(KeyGroup, { id });
      const limit = { device_groups: ['d'.repeat(32)] };
      expect((await gateway.call(`/v3/policy-groups/${id}`, { method: 'PUT', body: limit })).status).toBe(200);
      const person = { issuer: provider.issuer, subject: 'lea', name: 'Lea', email: null, groups: before };
      const user = await service.app.get(UsersService).createOrUpdate(person, newId());
      await eventually(() => expect(keys.get(user.id)).toMatchObject({ deviceGroups: limit.device_groups }));
    } finally {
      await keys.stop();
      await kafka.close();
    }
  });

  it('does not bring its user back if a deletion overtakes its renewal', async () => {
    const { id } = await opened('kim', { name: 'Kim', groups: ['ops'] });
    const { app } = gateway.service;
    const given = await app.get(DataSource).manager.findBy(KeyGroup, { id: groups.operators });
    expect((await gateway.call(`/v3/users/${id}`, { method: 'DELETE' })).status).toBe(204);
    const person = { issuer: provider.issuer, subject: 'kim', name: 'Kim', email: null, groups: given };
    await expect(app.get(UsersService).createOrUpdate(person, newId(), id)).rejects.toThrow(UserNotFound);
    expect((await gateway.call('/v3/users?name__eq=Kim')).body.data).toEqual([]);
  });

  it('ends at once when an administrator signs the user out, and begins no more when they are switched off', async () => {
    const { browser, id } = await opened('hal', { name: 'Hal', groups: ['ops'] });
    expect((await gateway.call(`/v3/users/${id}/sign-out`, { method: 'POST' })).status).toBe(204);
    expect((await show(browser)).status).toBe(401);
    await signIn(browser);
    expect((await show(browser)).status).toBe(200);
    const off = await gateway.call(`/v3/users/${id}`, { method: 'PUT', body: { status: 'INACTIVE' } });
    expect([off.status, off.body['status']]).toEqual([200, 'INACTIVE']);
    expect((await show(browser)).status).toBe(401);
    expect(await signIn(browser)).toContain('sign_in_error=denied');
    await gateway.call(`/v3/users/${id}`, { method: 'DELETE' });
    expect((await gateway.call(`/v3/users/${id}`)).status).toBe(404);
    const codesOf = (): string[] =>
      recorded.all.filter(({ data }) => data?.['target_id'] === id).map(({ eventCode }) => eventCode);
    await eventually(() =>
      expect(codesOf()).toEqual(['SYS_504', 'SYS_508', 'SYS_506', 'SYS_508', 'SYS_505', 'SYS_507']),
    );
  });
});

it('sign-ins that the provider or the gateway refused are in the event log', async () => {
  const refusals = (): number =>
    recorded.all
      .filter(({ eventCode }) => eventCode === 'SYS_410')
      .reduce((sum, { data }) => sum + Number(data?.['count']), 0);
  const signIns = (): number => recorded.all.filter(({ eventCode }) => eventCode === 'SYS_508').length;
  // What was refused before is written at once: when a part of it has come, the rest comes before a later sign-in.
  const earlier = refusals();
  await provider.setUser(null);
  await signIn(new Browser());
  await clock.advance(periodMs);
  await eventually(() => expect(refusals()).toBeGreaterThan(earlier));
  const sent = signIns();
  await provider.setUser('ada', ada);
  await signIn(new Browser());
  await eventually(() => expect(signIns()).toBeGreaterThan(sent));
  const before = refusals();
  await provider.setUser(null);
  await signIn(new Browser());
  await provider.setUser('cyd', { name: 'Cyd', groups: ['others'] });
  await signIn(new Browser());
  await new Browser().open(`${gateway.service.url}/v3/session/oidc/callback?code=forged&state=forged`);
  await clock.advance(periodMs);
  await eventually(() => expect(refusals()).toBe(before + 3));
});

describe('signing in with a program', () => {
  const post = (path: string, body: object, key: string | null = null) =>
    gateway.call(`/v3/session/oidc/${path}`, { method: 'POST', key, body });

  it('waits for the person, then gets a bearer token, once', async () => {
    await provider.setUser('ada', ada);
    const { status, body } = await post('device', {});
    expect([status, body]).toMatchObject([200, { user_code: expect.any(String), interval: expect.any(Number) }]);
    const code = { device_code: body['device_code'] };
    const pending = await post('device/token', code);
    expect([pending.status, pending.body['type']]).toEqual([400, 'authorization_pending']);
    await new Browser().throughProvider(provider.issuer, body['verification_uri_complete'] as string);
    const got = await post('device/token', code);
    expect([got.status, got.body]).toMatchObject([
      200,
      {
        signed_in_with: 'oidc',
        subject: { type: 'user', name: 'Ada' },
        token: expect.stringMatching(/^ls_[\w-]{43}$/),
      },
    ]);
    const token = got.body['token'] as string;
    expect((await gateway.call('/v3/session', { key: token })).status).toBe(200);
    // No header is needed: no browser adds a bearer token by itself.
    expect((await gateway.call('/v3/api-keys', { key: token })).status).toBe(403);
    expect((await post('device/token', code)).status).toBe(401);
    expect((await gateway.call('/v3/session', { method: 'DELETE', key: token })).status).toBe(204);
    expect((await gateway.call('/v3/session', { key: token })).status).toBe(401);
  });

  it('the command line does, and its session is worth something until it signs out', async () => {
    await provider.setUser('ada', ada);
    const folder = await mkdtemp(join(tmpdir(), 'lanyard-cli-'));
    const program = fileURLToPath(new URL('../../cli/bin/lanyard.js', import.meta.url));
    const run = (...args: string[]) => {
      const child = spawn(process.execPath, [program, ...args], { env: { LANYARD_CONFIG_DIR: folder } });
      const shown = { text: '' };
      for (const output of [child.stdout, child.stderr]) output.on('data', (data) => (shown.text += String(data)));
      return { shown, ended: once(child, 'close').then(([code]) => code as number) };
    };
    try {
      const login = run('login', '--oidc', '--url', gateway.service.url);
      const address = await eventually(() => {
        const found = /Or open (\S+)/.exec(login.shown.text)?.[1];
        if (found === undefined) throw new Error(login.shown.text);
        return found;
      });
      await new Browser().throughProvider(provider.issuer, address);
      expect([await login.ended, login.shown.text]).toEqual([0, expect.stringMatching(/Signed in to .* as Default/)]);
      const { profiles } = JSON.parse(await readFile(join(folder, 'profiles.json'), 'utf8')) as {
        profiles: Record<string, { key: string }>;
      };
      const token = profiles['default']?.key as string;
      expect(login.shown.text).not.toContain(token);
      expect((await gateway.call('/v3/session', { key: token })).body).toMatchObject({ subject: { name: 'Ada' } });
      const websocket = run('listen', '--websocket');
      expect([await websocket.ended, websocket.shown.text]).toEqual([2, expect.stringContaining('needs an API key')]);
      const logout = run('logout');
      expect([await logout.ended, logout.shown.text]).toEqual([0, expect.stringContaining('session has ended')]);
      expect((await gateway.call('/v3/session', { key: token })).status).toBe(401);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('401 for a code that was never given, 400 without one', async () => {
    expect((await post('device/token', { device_code: 'x' })).status).toBe(401);
    expect((await post('device/token', {})).status).toBe(400);
  });
});

it('404 for every way to sign in, and false for the page, when it is off', async () => {
  const off = await (await TestSystem.corner('oidc-off')).start();
  try {
    expect((await off.call('/v3/session/oidc', { key: null })).body).toEqual({
      object: 'oidc',
      enabled: false,
      name: null,
    });
    expect((await off.call('/v3/session/oidc/start', { key: null })).status).toBe(404);
    const device = await off.call('/v3/session/oidc/device', { method: 'POST', key: null });
    expect(device.status).toBe(404);
  } finally {
    await off.stop();
  }
});
