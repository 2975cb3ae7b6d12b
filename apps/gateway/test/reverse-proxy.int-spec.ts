import { once } from 'node:events';
import { type ClientRequest, IncomingMessage, request as httpRequest, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLOCK, identityHeader, type RunningService, startService, verifyIdentity } from '@lanyard/service';
import { eventually, TestClock, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { OpenCalls } from '../src/proxy/open-calls.js';
import { UnreadResponses, unreadBytesMax } from '../src/proxy/unread-responses.js';
import { TestSystem, identityKeys } from './test-system.js';
import { closedPort, type Seen, Upstream } from './upstream.js';

let gateway: TestSystem;
let registry: Upstream;
let secondRegistry: Upstream;
let proxy: Upstream;

beforeAll(async () => {
  [registry, secondRegistry, proxy] = await Promise.all([
    new Upstream().listen(),
    new Upstream().listen(),
    new Upstream().listen(),
  ]);
  const dead = `http://127.0.0.1:${await closedPort()}`;
  gateway = await (
    await TestSystem.corner('proxy')
  ).start({
    GATEWAY_REGISTRY_URLS: [registry.url, dead, secondRegistry.url].join(),
    GATEWAY_DEVICE_PROXY_URLS: proxy.url,
    GATEWAY_SNAPSHOT_URLS: dead,
  });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([registry, secondRegistry, proxy].map((upstream) => upstream?.stop()));
});
afterEach(() => [registry, secondRegistry, proxy].forEach((upstream) => upstream.echo()));

const seen = (reply: { body: unknown }): Seen => reply.body as Seen;

describe('forwarding', () => {
  it('says who calls, withholds the key, and drops headers that only we may set', async () => {
    const { key, id } = await gateway.newKey();
    const headers = {
      [identityHeader]: 'forged',
      'x-lanyard-admin': '1',
      'x-forwarded-for': '6.6.6.6',
      'x-tag': 'kept',
    };
    const reply = await gateway.call('/v2/endpoints', { key, headers });
    const { headers: got } = seen(reply);
    expect(got).toMatchObject({ 'x-tag': 'kept', 'x-forwarded-for': '127.0.0.1' });
    expect(got).not.toHaveProperty('authorization');
    expect(got).not.toHaveProperty('x-lanyard-admin');
    const verified = verifyIdentity(String(got[identityHeader]), 'device-proxy', [identityKeys.publicKey], Date.now());
    expect(verified?.identity).toMatchObject({
      accountId: gateway.accountId,
      keyId: id,
      permissions: ['devices', 'notifications'],
    });
    expect(got['x-request-id']).toBe(reply.headers.get('x-request-id'));
  });

  it("takes the client's request id when it is sane", async () => {
    const call = async (id: string): Promise<string | null> =>
      (await gateway.call('/v2/endpoints', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await call('my-id_1')).toBe('my-id_1');
    expect(await call('no good')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('collapses slashes for routing and leaves the query as it is', async () => {
    const path = '/v2//subscriptions/abc//3200/0/5501/?filter=a%3D1%26b__in%3D%2F%2F&x=//y';
    expect(seen(await gateway.call(path)).url).toBe(
      '/v2/subscriptions/abc/3200/0/5501?filter=a%3D1%26b__in%3D%2F%2F&x=//y',
    );
  });

  it.each([
    ['POST', 'text/odd'],
    ['PUT', 'json'],
    ['DELETE', 'application/json, charset=utf-8'],
    ['PATCH', ''],
  ])('%s with a body, whatever its type ("%s")', async (method, type) => {
    const init = { method, body: 'a=1&b', headers: { 'content-type': type } };
    expect(seen(await gateway.call('/v2/device-requests/x', init))).toMatchObject(init);
  });

  it('HEAD and OPTIONS', async () => {
    const head = await gateway.call('/v2/endpoints', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const options = await gateway.call('/v2/endpoints', { method: 'OPTIONS', key: null });
    expect([options.status, options.headers.get('allow')]).toEqual([204, expect.stringContaining('PUT')]);
  });

  it('passes status, headers and an empty body as they are', async () => {
    proxy.handler = (request, response) => {
      request.resume();
      response.writeHead(204, { 'cache-control': 'max-age=9', 'x-lanyard-inside': 'secret' }).end();
    };
    const reply = await gateway.call('/v2/subscriptions', { method: 'PUT', body: [] });
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([204, 'max-age=9']);
    expect(reply.headers.has('x-lanyard-inside')).toBe(false);
  });

  it('streams large bodies of unknown length', async () => {
    const text = 'x'.repeat(900_000);
    const got = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        `${gateway.service.url}/v2/endpoints/a/1/2/3`,
        { method: 'PUT', headers: { authorization: `Bearer ${gateway.adminKey}` } },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('end', () => resolve(body));
        },
      );
      request.on('error', reject);
      for (let i = 0; i < text.length; i += 100_000) request.write(text.slice(i, i + 100_000));
      request.end();
    });
    expect((JSON.parse(got) as Seen).body).toHaveLength(text.length);
  });

  it('aborts the call when the client leaves', async () => {
    let aborted = false;
    proxy.handler = (_request, response) => void response.once('close', () => (aborted = true));
    const leave = new AbortController();
    const before = proxy.requests;
    const call = fetch(`${gateway.service.url}/v2/endpoints`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
      signal: leave.signal,
    });
    await eventually(() => proxy.requests > before);
    leave.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => aborted);
  });

  it('aborts calls behind another one on its connection, too, and knows that they are over', async () => {
    let aborted = 0;
    proxy.handler = (_request, response) => void response.once('close', () => aborted++);
    const before = proxy.requests;
    const socket = connect(Number(new URL(gateway.service.url).port), '127.0.0.1');
    const head = `GET /v2/endpoints HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.adminKey}\r\n\r\n`;
    socket.write(head.repeat(3));
    await eventually(() => proxy.requests === before + 3);
    socket.destroy();
    await eventually(() => aborted === 3);
    await eventually(() => gateway.service.app.get(OpenCalls, { strict: false }).size === 0);
  });

  it.each([
    ['100', 'asks again, and says 503, when the upstream breaks off in a small answer'],
    ['1000000', 'cuts a large answer when the upstream breaks off in the middle of it'],
  ])('of %s bytes: %s', async (length) => {
    proxy.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': length }).write('half');
      setTimeout(() => response.destroy(), 20);
    };
    const answer = gateway.call('/v2/endpoints');
    if (length === '100') expect((await answer).status).toBe(503);
    else await expect(answer).rejects.toThrow();
  });

  it.each([0, 1, 65_536, 65_537, 262_144, 262_145])('passes each of %s bytes on, whatever it is', async (length) => {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, n) => n % 256));
    proxy.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': length, etag: '"a"', 'x-request-id': 'theirs' }).end(bytes);
    };
    const response = await fetch(`${gateway.service.url}/v2/endpoints`, {
      headers: { authorization: `Bearer ${gateway.adminKey}`, 'x-request-id': 'mine' },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    const { headers } = response;
    expect([headers.get('content-length'), headers.get('etag'), headers.get('x-request-id')]).toEqual([
      String(length),
      '"a"',
      'mine',
    ]);
  });

  it('429 for a large answer beside eight that their account does not read; others pass', async () => {
    const large = Buffer.alloc(33_554_432, 'x');
    proxy.handler = (request, response) => void response.end(request.url === '/v2/endpoints' ? large : 'small');
    const leave = new AbortController();
    const ask = (path: string): Promise<Response> =>
      fetch(gateway.service.url + path, {
        headers: { authorization: `Bearer ${gateway.adminKey}` },
        signal: leave.signal,
      });
    const unread: Response[] = [];
    for (let n = 0; n < 8; n++) unread.push(await ask('/v2/endpoints'));
    expect(unread.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
    const refused = await ask('/v2/endpoints');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await ask('/v2/endpoints/a')).status).toBe(200);
    leave.abort();
    await eventually(async () => {
      const again = await fetch(`${gateway.service.url}/v2/endpoints`, {
        headers: { authorization: `Bearer ${gateway.adminKey}` },
      });
      await again.body?.cancel();
      expect(again.status).toBe(200);
    });
  });

  it('429 for an answer of its own to an address that does not read others', async () => {
    const answer = new ServerResponse(new IncomingMessage(new Socket()));
    gateway.service.app.get(UnreadResponses, { strict: false }).count('127.0.0.1', unreadBytesMax + 1, answer);
    expect((await gateway.call('/openapi.json', { key: null })).status).toBe(429);
    expect((await gateway.call('/v3/api-keys/me')).status).toBe(429);
    expect((await gateway.call('/v2/endpoints')).status).toBe(200);
    for (const probe of ['/healthz', '/readyz'])
      expect((await gateway.call(probe, { key: null })).status).not.toBe(429);
    answer.emit('close');
    expect((await gateway.call('/v3/api-keys/me')).status).toBe(200);
  });

  it('passes a stream on as it comes, at the pace of the client', async () => {
    let written = 0;
    let ended = false;
    const part = Buffer.alloc(1_048_576, 'x');
    proxy.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': first\n\n');
      response.once('close', () => (ended = true));
      const fill = (): void => {
        while (written < 64 && !response.destroyed) {
          written++;
          if (!response.write(part)) return void response.once('drain', fill);
        }
      };
      setTimeout(fill, 50);
    };
    const leave = new AbortController();
    const response = await fetch(`${gateway.service.url}/v2/endpoints`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
      signal: leave.signal,
    });
    const reader = response.body?.getReader();
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toMatch(/^: first/);
    await eventually(() => written > 0);
    leave.abort();
    await eventually(() => ended);
    expect(written).toBeLessThan(64);
  });
});

describe('a body that comes slowly', () => {
  const clock = new TestClock(Date.now());
  let slow: RunningService;
  let passed: number;
  let cut: boolean;

  beforeAll(async () => {
    const urls = { GATEWAY_REGISTRY_URLS: registry.url, GATEWAY_DEVICE_PROXY_URLS: proxy.url };
    slow = await startService(definition, gateway.config(urls), withProviders([CLOCK, clock]));
  });
  afterAll(() => slow?.stop());
  beforeEach(() => {
    [passed, cut] = [0, false];
    registry.handler = proxy.handler = (request, response) => {
      request.on('data', (chunk: Buffer) => (passed += chunk.length)).on('error', () => (cut = true));
      request.on('end', () => response.end(`${passed} bytes`));
    };
  });

  const open = (path: string): { request: ClientRequest; answer: Promise<[number | undefined, string]> } => {
    const headers = { authorization: `Bearer ${gateway.adminKey}` };
    const request = httpRequest(slow.url + path, { method: path.startsWith('/v3/') ? 'POST' : 'PUT', headers });
    const answer = once(request, 'response').then(async ([response]: IncomingMessage[]) => {
      const text = (await response?.toArray())?.join('') ?? '';
      return [response?.statusCode, text] as [number | undefined, string];
    });
    return { request, answer };
  };
  const drop = async (request: ClientRequest, thenMs: number): Promise<void> => {
    const before = passed;
    request.write('x');
    await eventually(() => passed > before);
    await clock.advance(thenMs);
  };

  it('is passed on for as long as bytes of an import come', async () => {
    const { request, answer } = open('/v3/device-imports');
    for (let i = 0; i < 5; i++) await drop(request, 20_000);
    request.end();
    expect(await answer).toEqual([200, '5 bytes']);
  });

  it('408 after 30 s without a byte of an import; the upstream learns of the end', async () => {
    const { request, answer } = open('/v3/device-imports');
    await drop(request, 30_000);
    await clock.advance(30_000);
    expect(await answer).toEqual([408, expect.stringContaining('"type":"request_timeout"')]);
    await eventually(() => cut);
  });

  it('408 for any other that is not whole after 30 s', async () => {
    const { request, answer } = open('/v2/endpoints/a/1/2/3');
    for (let i = 0; i < 3; i++) await drop(request, 10_000);
    expect(await answer).toEqual([408, 'REQUEST_TIMEOUT']);
    await eventually(() => cut);
  });
});

describe('refusals', () => {
  it('404 for an unknown path', async () => {
    expect((await gateway.call('/v3/nothing')).body).toMatchObject({ code: 404, type: 'not_found' });
    expect((await gateway.call('/v2/nothing')).text).toBe('NOT_FOUND');
    expect((await gateway.call('/nothing')).status).toBe(404);
    expect((await gateway.call('/v3/devicesx')).status).toBe(404);
  });

  it('400 for a URL over 4096 characters', async () => {
    for (const path of ['/v3/devices?filter=', '/v3/accounts/me?include=']) {
      const [longest, longer] = await Promise.all([4_096, 4_097].map((n) => gateway.call(path.padEnd(n, 'x'))));
      expect([longest?.status, longer?.status, longer?.body.type]).toEqual([200, 400, 'validation_error']);
    }
  });

  it.each(['never', '9999-12-31T23:59:59-12:00', '-000001-01-01T00:00:00Z', '2024-02-30T00:00:00Z'])(
    '400 for an explanation of what was before %s',
    async (before) => {
      const { status, body } = await gateway.call(`/v3/explain?device_id=x&before=${before}`);
      expect([status, body.fields]).toEqual([400, [expect.objectContaining({ name: 'before' })]]);
    },
  );

  it('413 for a body over the limit, announced or not, in the form of the path', async () => {
    const large = 'x'.repeat(1_100_000);
    const announced = await gateway.call('/v2/endpoints/a/1/2/3', { method: 'PUT', body: large });
    expect([announced.status, announced.text]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        `${gateway.service.url}/v3/device-groups`,
        { method: 'POST', headers: { authorization: `Bearer ${gateway.adminKey}` } },
        (response) => resolve(response.resume().statusCode),
      );
      request.on('error', reject);
      request.write(large);
      request.end();
    });
    expect(status).toBe(413);
  });

  it('403 for a key in no group', async () => {
    const { id, key } = await gateway.newKey();
    await gateway.call(`/v3/api-keys/${id}`, { method: 'PUT', body: { groups: [] } });
    expect((await gateway.call('/v3/devices', { key })).body).toMatchObject({ code: 403, type: 'access_denied' });
  });

  it('allows browsers on the listed origins only; on none by default', async () => {
    const open = await startService(definition, gateway.config({ GATEWAY_CORS_ORIGINS: 'https://console.example' }));
    const preflight = async (base: string, origin: string): Promise<string | null> => {
      const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
      const reply = await fetch(`${base}/v3/devices`, { method: 'OPTIONS', headers: { origin, ...asked } });
      return reply.headers.get('access-control-allow-origin');
    };
    try {
      expect(await preflight(open.url, 'https://console.example')).toBe('https://console.example');
      expect(await preflight(open.url, 'https://evil.example')).toBeNull();
      expect(await preflight(gateway.service.url, 'https://console.example')).toBeNull();
      const origin = 'https://console.example';
      const refused = async (query: string, status: number): Promise<Headers> => {
        const reply = await fetch(`${open.url}/v3/devices${query}`, { headers: { origin } });
        expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([status, origin]);
        return reply.headers;
      };
      await refused(`?name=${'x'.repeat(4_096)}`, 400);
      const exposed = (await refused('', 401)).get('access-control-expose-headers');
      expect(exposed?.split(', ')).toEqual(expect.arrayContaining(['etag', 'link']));
    } finally {
      await open.stop();
    }
  });
});

describe('documents', () => {
  it('GET /openapi.json merges the documents of the services, and names those that are down', async () => {
    const document = (path: string, type: string): string =>
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'x', version: '1' },
        paths: {
          [path]: { get: { operationId: 'list', responses: { 200: { $ref: '#/components/schemas/Thing' } } } },
          '/v3/not-theirs': { get: {} },
        },
        components: { schemas: { Thing: { type } } },
      });
    const serve =
      (text: string): Upstream['handler'] =>
      (_request, response) =>
        void response.setHeader('content-type', 'application/json').end(text);
    registry.handler = secondRegistry.handler = serve(document('/v3/devices', 'string'));
    proxy.handler = serve(document('/v2/endpoints', 'number'));
    const { status, body } = await gateway.call('/openapi.json', { key: null });
    expect(status).toBe(200);
    const merged = body as unknown as {
      openapi: string;
      paths: Record<string, { get: { operationId: string; responses: Record<number, object> } }>;
      components: { schemas: Record<string, unknown> };
      'x-unavailable': string[];
    };
    expect(merged.openapi).toBe('3.1.0');
    expect(Object.keys(merged.paths)).toEqual(expect.arrayContaining(['/v3/api-keys', '/v3/devices', '/v2/endpoints']));
    expect(merged.paths).not.toHaveProperty('/v3/not-theirs');
    expect(merged.components.schemas).toMatchObject({
      Thing: { type: 'string' },
      'device-proxy.Thing': { type: 'number' },
    });
    expect(merged.paths['/v2/endpoints']?.get).toEqual({
      operationId: 'device-proxy_list',
      responses: { 200: { $ref: '#/components/schemas/device-proxy.Thing' } },
    });
    expect(merged['x-unavailable']).toEqual(['snapshot', 'event-log', 'dispatcher', 'campaigns']);
  });

  it('GET /docs needs nothing from elsewhere', async () => {
    const page = await gateway.call('/docs', { key: null });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      expect((await fetch(new URL(source, `${gateway.service.url}/docs`))).status).toBe(200);
    }
    expect((await gateway.call('/docs/swagger-ui-init.js', { key: null })).text).toContain('/v3/api-keys');
  });
});
