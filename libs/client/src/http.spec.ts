import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type LocalHttpServer, serve } from '@lanyard/testing';
import {
  Conflict,
  InvalidPathValue,
  InvalidRequest,
  Lanyard,
  type LanyardEvent,
  NoAnswer,
  NotFound,
  ServiceUnavailable,
  TooManyRequests,
} from './index.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
    response.end(JSON.stringify(body));
  };

const error = (status: number, type: string, headers: Record<string, string> = {}): Answer => {
  const fields = [{ name: 'a', message: 'b' }];
  return json(status, { object: 'error', code: status, type, message: 'No.', request_id: 'r-1', fields }, headers);
};

const page = (ids: string[], hasMore: boolean): Answer =>
  json(200, {
    object: 'list',
    data: ids.map((id) => ({ id })),
    limit: 2,
    after: null,
    order: 'ASC',
    has_more: hasMore,
  });

describe('requests', () => {
  let server: LocalHttpServer | undefined;
  const requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];

  /** Gives the answers in turn, the last one again and again. */
  const serving = async (...answers: [Answer, ...Answer[]]): Promise<Lanyard> => {
    requests.length = 0;
    server?.stop();
    server = await serve((request, response) => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      request.resume().on('end', () => answer?.(request, response));
    });
    return new Lanyard({ baseUrl: `${server.url}/`, key: 'ak_1x\n' });
  };

  afterEach(() => server?.stop());

  it.each([
    ['POST /v2/device-requests/{deviceId}', {}],
    ['PUT /v2/endpoints/{deviceId}/{object}', { object: 3 }],
    ['POST /v2/endpoints/{deviceId}/{object}', { object: 3 }],
    ['DELETE /v2/endpoints/{deviceId}/{object}', { object: 3 }],
  ])('every try of %s has the same Idempotency-Key, the next call another', async (operation, path) => {
    const lanyard = await serving(error(503, 'unavailable'), json(202, {}));
    const call = lanyard.call.bind(lanyard) as (operation: string, input: object) => Promise<unknown>;
    const input = { path: { deviceId: 'd', ...path } };
    await call(operation, input);
    await call(operation, input);
    await call(operation, { ...input, header: { 'Idempotency-Key': 'mine' } });
    const [first, again, next, mine] = requests.map(({ headers }) => headers['idempotency-key']);
    expect([typeof first, again, mine]).toEqual(['string', first, 'mine']);
    expect(next).not.toBe(first);
  });

  it.each<[string, string | RegExp]>([
    ['order-1', 'order-1'],
    // No form of an async-id.
    ['orders/7.1', /^[0-9a-f]{32}$/],
    ['7'.repeat(41), /^[0-9a-f]{32}$/],
  ])('calls with the Idempotency-Key %s are the same request, also in their async-id', async (key, expected) => {
    const lanyard = await serving(json(202, {}));
    const command = { method: 'GET', uri: '/3/0/0' } as const;
    const sent: string[] = [];
    for (const idempotencyKey of [key, key, `${key}0`])
      sent.push(await lanyard.sendCommand('d', command, { idempotencyKey }));
    const [first, again, other] = sent;
    expect(first).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
    expect([again, new Set([first, other]).size]).toEqual([first, 2]);
    const asked = requests.map(({ url, headers }) => [/async-id=([^&]+)/.exec(url)?.[1], headers['idempotency-key']]);
    expect(asked).toEqual([
      [first, key],
      [first, key],
      [other, `${key}0`],
    ]);
    // Another id makes it another request.
    expect(await lanyard.sendCommand('d', command, { idempotencyKey: key, asyncId: 'mine' })).toBe('mine');
  });

  it('fill path, query, headers and body', async () => {
    const lanyard = await serving(json(200, { id: 'a/b' }));
    await lanyard.call('PUT /v3/devices/{id}', {
      path: { id: 'a/b' },
      header: { 'If-Match': '"1"' },
      body: { name: 'n' },
    });
    await lanyard.call('GET /v3/devices', {
      query: { state__in: 'registered,bootstrapped', custom_attributes__site: 'n' },
    });
    expect(requests).toMatchObject([
      { method: 'PUT', url: '/v3/devices/a%2Fb', headers: { authorization: 'Bearer ak_1x', 'if-match': '"1"' } },
      { method: 'GET', url: '/v3/devices?state__in=registered%2Cbootstrapped&custom_attributes__site=n' },
    ]);
  });

  it.each(['', '.', '..'])('are refused before they are sent if a value makes the path another one: %j', async (id) => {
    const lanyard = await serving(json(200, {}));
    await expect(lanyard.call('DELETE /v3/devices/{id}', { path: { id } })).rejects.toThrow(InvalidPathValue);
    await expect(lanyard.commandResult(id)).rejects.toThrow(InvalidPathValue);
    expect(requests).toEqual([]);
  });

  it('send bytes in parts, so that each part that has left renews the time-out of fetch', async () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, n) => n % 251));
    const upload = { query: { name: 'n', version: '1' }, body: bytes };
    const parts: Uint8Array[] = [];
    const reading = new Lanyard({
      baseUrl: 'http://127.0.0.1',
      key: 'ak_1x',
      fetch: async (_, init) => {
        for await (const part of new Response(init?.body).body ?? []) parts.push(part as Uint8Array);
        return Response.json({ id: 'i' });
      },
    });
    await reading.call('POST /v3/firmware-images', upload);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    // The service refuses an upload that is too large by its length.
    await (await serving(json(201, { id: 'i' }))).call('POST /v3/firmware-images', upload);
    expect(requests[0]?.headers['content-length']).toBe('150000');
    expect(requests[0]?.headers['content-type']).toBeUndefined();
  });

  it.each([
    [400, 'validation_error', InvalidRequest],
    [404, 'not_found', NotFound],
    [409, 'duplicate', Conflict],
  ])('%s is an exception of its own with the request id', async (status, type, expected) => {
    const failed = (await serving(error(status, type))).call('GET /v3/devices');
    await expect(failed).rejects.toThrow(expected);
    await expect(failed).rejects.toMatchObject({
      status,
      code: type,
      requestId: 'r-1',
      fields: [{ name: 'a', message: 'b' }],
    });
    expect(requests).toHaveLength(1);
  });

  it('says in its message what is wrong with which field', async () => {
    const failed = (await serving(error(400, 'validation_error'))).call('GET /v3/devices');
    await expect(failed).rejects.toThrow(/ a: b\b/);
  });

  it('the bare word of v2 is the code', async () => {
    const lanyard = await serving((_, response) => response.writeHead(404).end('DEVICE_NOT_FOUND'));
    const failed = lanyard.call('GET /v2/endpoints/{deviceId}', { path: { deviceId: 'a' } });
    await expect(failed).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND', requestId: undefined });
  });

  it.each(['{"error":"upstream"}', '{"type":"t","message":"No.","fields":{}}', 'null'])(
    'that fail with JSON of a proxy, %s, have its text as code',
    async (text) => {
      const lanyard = await serving((_, response) => {
        response.writeHead(400, { 'content-type': 'application/json' }).end(text);
      });
      const expected = { name: 'InvalidRequest', code: text, text, fields: [] };
      await expect(lanyard.call('GET /v3/devices')).rejects.toMatchObject(expected);
    },
  );

  it('go out again after what passes, when they may be repeated', async () => {
    const lanyard = await serving(
      error(503, 'system_unavailable'),
      error(408, 'request_timeout'),
      (request) => request.socket.destroy(),
      page([], false),
    );
    expect(await lanyard.call('GET /v3/devices')).toMatchObject({ data: [] });
    expect(requests).toHaveLength(4);
  });

  it('go out once when they may not', async () => {
    const lanyard = await serving(error(503, 'system_unavailable'));
    await expect(lanyard.call('POST /v3/devices', { body: {} })).rejects.toThrow(ServiceUnavailable);
    expect(requests).toHaveLength(1);
  });

  it('go out once when the database gave up', async () => {
    const lanyard = await serving(error(504, 'query_timeout'));
    await expect(lanyard.call('GET /v3/devices')).rejects.toMatchObject({ status: 504, code: 'query_timeout' });
    expect(requests).toHaveLength(1);
  });

  it.each([2 ** 32, Infinity, 5_000.5])('may have a time limit of %d ms', async (timeoutMs) => {
    const lanyard = await serving(page([], false));
    expect(await lanyard.call('GET /v3/devices', {}, { timeoutMs })).toMatchObject({ data: [] });
  });

  it('a broken connection is NoAnswer', async () => {
    const lanyard = await serving((request) => request.socket.destroy());
    await expect(lanyard.call('POST /v3/devices', { body: {} })).rejects.toThrow(NoAnswer);
  });

  it('who is too fast is repeated, whatever the method, but not when a queue is full or a limit is reached', async () => {
    const tooFast = error(429, 'rate_limit_exceeded', { 'retry-after': '0' });
    const lanyard = await serving(tooFast, json(201, { id: 'd' }));
    expect(await lanyard.call('POST /v3/devices', { body: {} })).toEqual({ id: 'd' });
    // As JSON, which the client asks for, it has the same type.
    for (const type of ['rate_limit_exceeded', 'limit_exceeded']) {
      const full = await serving(error(429, type));
      await expect(full.sendCommand('d', { method: 'GET', uri: '/3/0/0' })).rejects.toThrow(TooManyRequests);
      expect(requests).toHaveLength(1);
    }
  });

  it('are repeated after 429 of a proxy, which may give no time', async () => {
    const lanyard = await serving(
      (_, response) => response.writeHead(429).end('<h1>Too Many Requests</h1>'),
      page([], false),
    );
    expect(await lanyard.call('GET /v3/devices')).toMatchObject({ data: [] });
  });

  it('do not wait for minutes, although the service asks for that', async () => {
    const lanyard = await serving(error(429, 'rate_limit_exceeded', { 'retry-after': '900' }));
    const failed = lanyard.call('GET /v3/devices');
    await expect(failed).rejects.toMatchObject({ status: 429, retryAfterSeconds: 900 });
    expect(requests).toHaveLength(1);
  });

  it('a command with its result is sent again only as long as the caller waits', async () => {
    const command = { method: 'GET', uri: '/3/0/0' } as const;
    const refused = (await serving(error(503, 'unavailable'))).command('d', command, { timeoutMs: 300 });
    await expect(refused).rejects.toThrow(ServiceUnavailable);
    expect(requests.length).toBeLessThan(3);
    const late: Answer = (request) => setTimeout(() => request.socket.destroy(), 100);
    const lost = (await serving(late)).command('d', command, { timeoutMs: 50 });
    await expect(lost).rejects.toThrow(NoAnswer);
    expect(requests).toHaveLength(1);
    const result = (await serving(error(503, 'unavailable'))).commandResult('c', { timeoutMs: 300 });
    await expect(result).rejects.toThrow(ServiceUnavailable);
    expect(requests.length).toBeLessThan(3);
  });

  it('a retry of a command waits for its result as long as is left', async () => {
    const busy = error(503, 'unavailable', { 'retry-after': '1' });
    const lanyard = await serving(busy, json(200, { id: 'c', status: 200, payload: 'MQ==', ct: 'text/plain' }));
    const { text } = await lanyard.command('d', { method: 'GET', uri: '/3/0/0' }, { timeoutMs: 60_000 });
    expect(text).toBe('1');
    const [first = 0, again = 0] = requests.map(({ url }) => Number(/wait=(\d+)/.exec(url)?.[1]));
    expect(first).toBe(60);
    expect(again).toBeLessThan(60);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it.each([
    ['a command with its result', 'command'],
    ['the question for the result of a command', 'commandResult'],
  ] as const)('%s is sent again for longer than other requests', async (_, what) => {
    const away = error(503, 'unavailable');
    const ended = { id: 'c', async_id: 'c', status: 200, payload: 'MQ==' };
    const lanyard = await serving(away, away, away, away, json(200, ended));
    const options = { timeoutMs: 60_000 };
    const { text } = await (what === 'command'
      ? lanyard.command('d', { method: 'GET', uri: '/3/0/0' }, options)
      : lanyard.commandResult('c', options));
    expect([text, requests.length]).toEqual(['1', 5]);
  });

  it('items come page after page', async () => {
    const lanyard = await serving(page(['a', 'b'], true), page(['c'], false));
    const ids: string[] = [];
    for await (const { id } of lanyard.items('GET /v3/devices', { query: { limit: 2 } })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(requests.map(({ url }) => url)).toEqual(['/v3/devices?limit=2', '/v3/devices?limit=2&after=b']);
  });

  it('a poll says which answer came last', async () => {
    const values = (payload: string): Answer =>
      json(
        200,
        { notifications: [{ ep: 'd', path: '/1/0/1', payload }] },
        { link: `</v2/notification/pull?after=a${payload}>; rel="next"` },
      );
    const half: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"notif', () => response.socket?.destroy());
    };
    const lanyard = await serving(values('MQ'), half, values('Mg'));
    const got: LanyardEvent[] = [];
    for await (const event of lanyard.pull()) if (got.push(event) === 2) break;
    expect(got).toHaveLength(2);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v2/notification/pull?after=0',
      '/v2/notification/pull?after=aMQ',
      '/v2/notification/pull?after=aMQ',
    ]);
  });

  it.each<[string, Answer, number]>([
    ['that is too fast waits as long as the service asks', json(429, {}, { 'retry-after': '1' }), 950],
    ['that is answered at once with nothing waits before the next', (_, response) => response.end('<html>'), 100],
  ])('a poll %s', async (_, answer, waitMinMs) => {
    const value = { notifications: [{ ep: 'd', path: '/1/0/1', payload: 'MQ' }] };
    const lanyard = await serving(answer, json(200, value));
    const startMs = performance.now();
    for await (const event of lanyard.pull()) if (event.category === 'notifications') break;
    expect(performance.now() - startMs).toBeGreaterThan(waitMinMs);
    expect(requests).toHaveLength(2);
  });
});
