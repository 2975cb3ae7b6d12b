import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { type Reply, TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

let gateway: TestSystem;
let registry: Upstream;
let others: Upstream;
let log: Upstream;
let devicesKey: string;

const respond = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const answer =
  (answers: Record<string, [status: number, body: object]>): Upstream['handler'] =>
  ({ url = '' }, response) => {
    const [status, body] = answers[url.split('?', 1)[0] as string] ?? [404, {}];
    respond(response, status, body);
  };

const list = (...data: object[]): object => ({ object: 'list', data, total_count: data.length });

const item = (kind: string): object => ({ object: 'attention-item', kind, id: kind });

beforeAll(async () => {
  registry = await new Upstream().listen();
  others = await new Upstream().listen();
  log = await new Upstream().listen();
  gateway = await (
    await TestSystem.corner('fleet')
  ).start({
    GATEWAY_REGISTRY_URLS: registry.url,
    GATEWAY_SNAPSHOT_URLS: others.url,
    GATEWAY_DEVICE_PROXY_URLS: others.url,
    GATEWAY_DISPATCHER_URLS: others.url,
    GATEWAY_EVENT_LOG_URLS: log.url,
  });
  const group = await gateway.call('/v3/policy-groups', {
    method: 'POST',
    body: { name: 'readers', permissions: ['devices.read'] },
  });
  const key = await gateway.call('/v3/api-keys', { method: 'POST', body: { name: 'reader', groups: [group.body.id] } });
  devicesKey = key.body.key;
});
beforeEach(() => {
  registry.handler = answer({
    '/statistics': [200, { total: 3, by_state: { registered: 3 }, by_lifecycle_status: { enabled: 3 } }],
    '/v3/attention/expiring-certificates': [200, list(item('expiring-certificates'))],
  });
  log.handler = answer({ '/v3/device-events': [503, {}] });
  others.handler = answer({
    '/statistics': [200, { step_seconds: 10, from: 'a', to: 'b', steps: [] }],
    '/v3/attention/lost-subscriptions': [200, { ...list(item('lost-subscriptions')), total_count: 1_001 }],
    '/v3/attention/stuck-commands': [200, list()],
    '/v3/attention/failing-channels': [200, list()],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await registry?.stop();
  await others?.stop();
  await log?.stop();
});

const get = (path: string, key?: string): Promise<Reply> => gateway.call(path, { ...(key !== undefined && { key }) });

describe('GET /v3/statistics', () => {
  it('200 puts the parts together', async () => {
    const { status, body } = await get('/v3/statistics?step_seconds=10');
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'statistics',
      created_at: expect.stringMatching(/Z$/),
      devices: { total: 3, by_state: { registered: 3 }, by_lifecycle_status: { enabled: 3 } },
      step_seconds: 10,
      from: 'a',
      to: 'b',
      steps: [],
      left_out: [],
    });
  });

  it('200 without the devices while the registry does not answer', async () => {
    registry.handler = answer({ '/statistics': [503, {}] });
    const { status, body } = await get('/v3/statistics');
    expect([status, body['devices'], body['left_out']]).toEqual([
      200,
      null,
      [{ service: 'registry', reason: 'The service does not answer.' }],
    ]);
  });

  it('200 without a part that breaks off', async () => {
    registry.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"total":3', () => response.destroy());
    };
    const { status, body } = await get('/v3/statistics');
    expect([status, body['devices'], body['left_out']]).toEqual([
      200,
      null,
      [{ service: 'registry', reason: 'The service does not answer.' }],
    ]);
  });

  it('200 without a part that is too large to read', async () => {
    registry.handler = answer({ '/statistics': [200, { total: 3, by_state: {}, more: 'x'.repeat(9_000_000) }] });
    const { status, body } = await get('/v3/statistics');
    expect([status, body['devices'], body['left_out']]).toEqual([
      200,
      null,
      [{ service: 'registry', reason: 'Its answer is too large.' }],
    ]);
  });

  it('400 names what the snapshot refuses', async () => {
    const fields = [{ name: 'step_seconds', message: 'Must be 10 or 300' }];
    others.handler = answer({ '/statistics': [400, { fields }] });
    const { status, body } = await get('/v3/statistics?step_seconds=7');
    expect([status, body['fields']]).toEqual([400, fields]);
  });

  it('401 without a key, 503 without the snapshot', async () => {
    expect((await gateway.call('/v3/statistics', { key: null })).status).toBe(401);
    others.handler = answer({ '/statistics': [500, {}] });
    expect((await get('/v3/statistics')).status).toBe(503);
  });

  it.each([401, 403, 404])('503 when the snapshot refuses with %i, which the client did not cause', async (refusal) => {
    others.handler = answer({ '/statistics': [refusal, {}] });
    const { status, body } = await get('/v3/statistics');
    expect([status, body['type']]).toEqual([503, 'system_unavailable']);
  });
});

describe('GET /v3/attention', () => {
  it('200 has the count and the first of each kind', async () => {
    const { status, body } = await get('/v3/attention');
    expect(status).toBe(200);
    expect(body['kinds']).toEqual([
      { kind: 'lost-subscriptions', count: 1_000, count_is_exact: false, data: [item('lost-subscriptions')] },
      { kind: 'stuck-commands', count: 0, count_is_exact: true, data: [] },
      { kind: 'failing-channels', count: 0, count_is_exact: true, data: [] },
      { kind: 'expiring-certificates', count: 1, count_is_exact: true, data: [item('expiring-certificates')] },
    ]);
    expect(body['left_out']).toEqual([]);
  });

  it.each([401, 403, 404])('200 leaves out what a service refuses with %i', async (refusal) => {
    registry.handler = answer({ '/v3/attention/expiring-certificates': [refusal, {}] });
    const { status, body } = await get('/v3/attention');
    expect([status, body['left_out']]).toEqual([
      200,
      [{ service: 'registry', reason: `The service refused the request (${refusal}).` }],
    ]);
    expect(body['kinds']).toHaveLength(3);
  });

  it('200 leaves out what the key may not see', async () => {
    const { status, body } = await get('/v3/attention', devicesKey);
    expect(status).toBe(200);
    expect(body['kinds']).toMatchObject([{ kind: 'expiring-certificates' }]);
    expect(body['left_out']).toHaveLength(3);
    expect((await get('/v3/attention/stuck-commands', devicesKey)).status).toBe(403);
    expect((await get('/v3/attention/stuck-commands')).body).toEqual(list());
  });
});

describe('GET /v3/explain', () => {
  it('200 leaves out what a service refuses, not what it does not know', async () => {
    const id = newId();
    const device = { id, endpoint_name: 'e', created_at: '', state: 'registered', lifecycle_status: 'enabled' };
    registry.handler = answer({ [`/v3/devices/${id}`]: [200, device] });
    others.handler = answer({ [`/v3/devices/${id}/echo`]: [400, {}] });
    const { status, body } = await get(`/v3/explain?device_id=${id}`);
    expect([status, body['subject']]).toEqual([200, { type: 'device', id }]);
    const leftOut = body['left_out'] as { service: string; reason: string }[];
    expect(leftOut.toSorted((a, b) => a.service.localeCompare(b.service))).toEqual([
      { service: 'event-log', reason: 'The service does not answer.' },
      { service: 'snapshot', reason: 'The service refused the request (400).' },
    ]);
  });

  it('200 has what happened before a time, to the microsecond', async () => {
    const id = newId();
    const device = { id, endpoint_name: 'e', state: 'registered', lifecycle_status: 'enabled' };
    const created = { ...device, created_at: '2026-01-01T10:00:00.000001Z' };
    registry.handler = answer({ [`/v3/devices/${id}`]: [200, created] });
    const timeline = async (before: string): Promise<unknown> =>
      (await get(`/v3/explain?device_id=${id}&before=${before}`)).body['timeline'];
    expect(await timeline('2026-01-01T10:00:00Z')).toEqual([]);
    expect(await timeline('2026-01-01T10:00:00.000002Z')).toHaveLength(1);
  });

  it.each([401, 403])('503 when a service refuses the subject with %i: it may be known', async (refusal) => {
    const [id, uid] = [newId(), newId()];
    registry.handler = answer({ [`/v3/devices/${id}`]: [refusal, {}], '/v3/devices': [refusal, {}] });
    others.handler = answer({ '/explain/commands/a': [refusal, {}], [`/explain/events/${uid}`]: [refusal, {}] });
    for (const subject of [`device_id=${id}`, 'async-id=a', `uid=${uid}`])
      expect([subject, (await get(`/v3/explain?${subject}`)).status]).toEqual([subject, 503]);
  });

  it('404 for a name that no device has, also if it is one of a path beside those of devices', async () => {
    const device = { id: newId(), endpoint_name: 'e', state: 'registered', lifecycle_status: 'enabled' };
    registry.handler = answer({ '/v3/devices': [200, list()], '/v3/devices/export': [200, device] });
    const { status, body } = await get('/v3/explain?device_id=export');
    expect([status, body['message']]).toEqual([404, 'No such device in this account.']);
  });

  it('200 has every entry once, page by page, whichever service has more than fits on a page', async () => {
    const id = newId();
    const at = (seconds: number): string => `2024-01-01T10:00:${String(seconds).padStart(2, '0')}.000000Z`;
    const device = { id, endpoint_name: 'e', created_at: at(0), state: 'registered', lifecycle_status: 'enabled' };
    registry.handler = answer({ [`/v3/devices/${id}`]: [200, device] });
    const logged = [7, 6, 5, 5, 4, 3, 2, 2, 1].map(at);
    log.handler = ({ url = '' }, response) => {
      const { searchParams } = new URL(url, log.url);
      const limit = Number(searchParams.get('limit'));
      const found = logged.filter((date_time) => date_time <= String(searchParams.get('date_time__lte')));
      const data = found.slice(0, limit).map((date_time) => ({ date_time }));
      respond(response, 200, { data, has_more: found.length > limit });
    };
    // Accepted one after the other, then sent and ended.
    const commands = [
      [11, 14, 15],
      [12, 16, 17],
      [13, 18, 19],
    ].map((seconds) => seconds.map(at));
    const facts = ([created_at, attempted_at, finished_at]: string[]): object => ({
      created_at,
      attempted_at,
      finished_at,
    });
    others.handler = ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, others.url);
      if (pathname !== `/explain/devices/${id}`) return respond(response, 404, {});
      const limit = Number(searchParams.get('limit'));
      const before = String(searchParams.get('before'));
      const last = (times: string[]): string => times.findLast((time) => time < before) ?? '';
      const found = commands.filter((times) => last(times) !== '').sort((a, b) => (last(a) < last(b) ? 1 : -1));
      const shown = found.slice(0, limit).map(facts);
      respond(response, 200, { session: null, commands: shown, has_more: found.length > limit, waiting: 0 });
    };
    const timesBefore = async (limit: number, before = ''): Promise<string[]> => {
      const { status, body } = await get(`/v3/explain?device_id=${id}&limit=${limit}${before}`);
      expect([status, body['left_out']]).toEqual([200, []]);
      const times = (body['timeline'] as { at: string }[]).map((entry) => entry.at);
      return body['has_more'] ? [...(await timesBefore(limit, `&before=${times[0]}`)), ...times] : times;
    };
    const all = [at(0), ...logged, ...commands.flat()].sort();
    for (const limit of [1, 2, 3, 50]) expect([limit, await timesBefore(limit)]).toEqual([limit, all]);
  });
});
