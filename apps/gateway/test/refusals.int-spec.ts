import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeviceEventReported } from '@lanyard/contracts';
import { CLOCK, formatApiKey, newId, newSecret, parseApiKey, startService } from '@lanyard/service';
import { eventually, TestClock, withProviders } from '@lanyard/testing';
import { WebSocket } from 'ws';
import { definition } from '../src/app.module.js';
import { entriesMax, periodMs } from '../src/authentication/refusals.js';
import { RecordedEvents } from './recorded-events.js';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

describe('requests that were refused', () => {
  let gateway: TestSystem;
  let registry: Upstream;
  let recorded: RecordedEvents;
  const clock = new TestClock(Date.now());

  beforeAll(async () => {
    registry = await new Upstream().listen();
    const corner = await TestSystem.corner('refusals');
    gateway = await corner.start(
      {
        GATEWAY_REGISTRY_URLS: registry.url,
        GATEWAY_TRUSTED_PROXIES: '1',
        GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000',
      },
      withProviders([CLOCK, clock]),
    );
    recorded = await RecordedEvents.of(gateway);
  });
  afterAll(async () => {
    await recorded?.stop();
    await gateway?.stop();
    await registry?.stop();
  });

  const ask = async (key: string | null, from: string, path = '/v3/api-keys/me', method = 'GET'): Promise<number> =>
    (await gateway.call(path, { method, key, headers: { 'x-forwarded-for': from } })).status;
  const wrong = (key: string): string => {
    const { accountId, keyId } = parseApiKey(key) as { accountId: string; keyId: string };
    return formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) });
  };
  const entries = (from: string): DeviceEventReported[] =>
    recorded.all.filter(({ data }) => data?.['address'] === from);
  const passed = async (): Promise<void> => {
    await clock.advance(periodMs);
  };

  it('with a wrong secret are one entry of the account for each key and address, without the secret', async () => {
    const { id, key } = await gateway.newKey();
    const guess = wrong(key);
    for (let n = 0; n < 4; n++) expect(await ask(guess, '192.0.2.1')).toBe(401);
    await passed();
    await eventually(() => expect(entries('192.0.2.1')).toHaveLength(1));
    expect(entries('192.0.2.1')[0]).toMatchObject({
      accountId: gateway.accountId,
      eventCode: 'SYS_410',
      data: { count: '4', target: 'api-key', target_id: id, request_id: expect.any(String) },
    });
    expect(JSON.stringify(recorded.all)).not.toContain(guess.slice(-32));
  });

  it('without a key that exists are entries of the account of the installation, whatever account they name', async () => {
    const [accountId, keyId] = [newId(), newId()];
    await ask(formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) }), '192.0.2.2');
    await ask(null, '192.0.2.2');
    await passed();
    await eventually(() => expect(entries('192.0.2.2')).toHaveLength(1));
    expect(entries('192.0.2.2')[0]).toMatchObject({ accountId: gateway.accountId, data: { count: '2' } });
    expect(JSON.stringify(recorded.all)).not.toContain(keyId);
  });

  it('are no entry where a browser asks who is signed in before anyone is', async () => {
    expect(await ask(null, '192.0.2.5', '/v3/session')).toBe(401);
    expect(await ask('ak_1', '192.0.2.6', '/v3/session')).toBe(401);
    await passed();
    await eventually(() => expect(entries('192.0.2.6')).toHaveLength(1));
    expect(entries('192.0.2.5')).toEqual([]);
  });

  it('that the key may not make are one entry for each key and address, with the declared path', async () => {
    const { body: group } = await gateway.call('/v3/policy-groups', {
      method: 'POST',
      body: { name: 'readers', permissions: ['devices.read'] },
    });
    const { id, key } = await gateway.newKey({ groups: [group.id] });
    expect(await ask(key, '192.0.2.3', `/v3/api-keys/${newId()}`, 'DELETE')).toBe(403);
    expect(await ask(key, '192.0.2.3', '/v3/devices/secret-name/suspend', 'POST')).toBe(403);
    await passed();
    await eventually(() => expect(entries('192.0.2.3')).toHaveLength(1));
    expect(entries('192.0.2.3')[0]).toMatchObject({
      accountId: gateway.accountId,
      eventCode: 'SYS_411',
      data: { count: '2', target_id: id, operation: 'POST /v3/devices/*/suspend' },
    });
    expect(JSON.stringify(recorded.all)).not.toContain('secret-name');
  });

  it('for other reasons than what the key may do are no entry: quotas, suspended devices', async () => {
    const refuseWith = (type: string): void => {
      const text = JSON.stringify({ object: 'error', code: 403, type, message: '', request_id: '' });
      registry.handler = (_request, response) =>
        void response.writeHead(403, { 'content-length': String(text.length) }).end(text);
    };
    refuseWith('device_suspended');
    const device = `/v3/devices/${newId()}`;
    expect(await ask(gateway.adminKey, '192.0.2.7', device, 'DELETE')).toBe(403);
    const { id } = (await gateway.call('/v3/applications', { method: 'POST', body: { name: 'two keys' } })).body;
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const addKey = async (): Promise<number> => {
      const body = { name: 'x' };
      return (await gateway.call(`/v3/applications/${id}/access-keys`, { method: 'POST', body, headers })).status;
    };
    expect([await addKey(), await addKey(), await addKey()]).toEqual([201, 201, 403]);
    refuseWith('access_denied');
    expect(await ask(gateway.adminKey, '192.0.2.8', device)).toBe(403);
    await passed();
    await eventually(() => expect(entries('192.0.2.8')).toMatchObject([{ eventCode: 'SYS_411' }]));
    expect(entries('192.0.2.7')).toEqual([]);
  });

  it('as handshakes of a WebSocket are counted like others, although the dispatcher answers them', async () => {
    const shakeHands = async (key: string, from: string): Promise<void> => {
      const url = `${gateway.service.url.replace('http', 'ws')}/v2/notification/websocket-connect`;
      const socket = new WebSocket(url, ['wss', `service_${key}`], { headers: { 'x-forwarded-for': from } });
      // There is no dispatcher.
      await once(socket, 'error');
    };
    const deleted = await gateway.newKey();
    const elsewhere = await gateway.newKey({ source_addresses: ['192.0.2.0/24'] });
    const body = { name: 'without a channel', permissions: ['devices.read'] };
    const group = (await gateway.call('/v3/policy-groups', { method: 'POST', body })).body.id;
    const reader = await gateway.newKey({ groups: [group] });
    // Keys that this replica has read before, as it has most.
    for (const { key } of [deleted, reader]) expect(await ask(key, '203.0.113.1')).toBe(200);
    await gateway.call(`/v3/api-keys/${deleted.id}`, { method: 'DELETE' });
    await shakeHands(deleted.key, '203.0.113.2');
    await shakeHands(elsewhere.key, '203.0.113.3');
    await shakeHands(reader.key, '203.0.113.4');
    await shakeHands((await gateway.newKey()).key, '203.0.113.5');
    const told = (from: string): unknown[] => entries(from).map(({ eventCode, data }) => [eventCode, data]);
    const operation = 'GET /v2/notification/websocket-connect';
    // The key of a handshake is looked at beside it, so its refusal may be counted in a later period.
    await eventually(async () => {
      await passed();
      expect(told('203.0.113.2')).toMatchObject([['SYS_410', { count: '1' }]]);
      expect(told('203.0.113.3')).toMatchObject([['SYS_411', { target_id: elsewhere.id }]]);
      expect(told('203.0.113.4')).toMatchObject([['SYS_411', { target_id: reader.id, operation }]]);
    });
    // An entry of the last handshake would come before this one, or with it.
    await ask(null, '203.0.113.6');
    await passed();
    await eventually(() => expect(entries('203.0.113.6')).toHaveLength(1));
    expect(told('203.0.113.5')).toEqual([]);
  });

  it('from many addresses are a bounded number of entries, and none is uncounted', async () => {
    const { id, key } = await gateway.newKey();
    const before = recorded.all.length;
    for (let n = 0; n < 3 * entriesMax; n++) expect(await ask(wrong(key), `198.51.100.${n}`)).toBe(401);
    await passed();
    const mine = (): DeviceEventReported[] =>
      recorded.all.slice(before).filter(({ eventCode }) => eventCode === 'SYS_410');
    const sum = (): number => mine().reduce((total, { data }) => total + Number(data?.['count']), 0);
    await eventually(() => expect(sum()).toBe(3 * entriesMax));
    expect(mine()).toHaveLength(entriesMax + 1);
    expect(mine().filter(({ data }) => data?.['target_id'] === id)).toHaveLength(entriesMax);
  });

  it('since the last entries are written when a replica stops; so is the time of the last login', async () => {
    const { id, key } = await gateway.newKey();
    const other = await startService(
      definition,
      gateway.config({ GATEWAY_TRUSTED_PROXIES: '1' }),
      withProviders([CLOCK, clock]),
    );
    const askOther = async (given: string): Promise<number> => {
      const headers = { authorization: `Bearer ${given}`, 'x-forwarded-for': '192.0.2.4' };
      return (await fetch(`${other.url}/v3/api-keys/me`, { headers })).status;
    };
    try {
      expect([await askOther(key), await askOther(wrong(key))]).toEqual([200, 401]);
    } finally {
      await other.stop();
    }
    expect((await gateway.call(`/v3/api-keys/${id}`)).body['last_login_time']).toBe(clock.now());
    await eventually(() => expect(entries('192.0.2.4')).toHaveLength(1));
  });
});
