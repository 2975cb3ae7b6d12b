import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningService, startService } from '@lanyard/service';
import { definition } from '../src/app.module.js';
import { TestSystem } from './test-system.js';
import { closedPort, Upstream } from './upstream.js';

describe('fail-over', () => {
  let gateway: TestSystem;
  let registry: Upstream;
  let secondRegistry: Upstream;

  beforeAll(async () => {
    [registry, secondRegistry] = await Promise.all([new Upstream().listen(), new Upstream().listen()]);
    const dead = `http://127.0.0.1:${await closedPort()}`;
    gateway = await (
      await TestSystem.corner('fail-over')
    ).start({
      GATEWAY_REGISTRY_URLS: [registry.url, dead, secondRegistry.url].join(),
      GATEWAY_SNAPSHOT_URLS: dead,
      GATEWAY_DISPATCHER_URLS: dead,
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all([registry, secondRegistry].map((upstream) => upstream?.stop()));
  });
  afterEach(() => [registry, secondRegistry].forEach((upstream) => upstream.echo()));

  it('takes turns, and passes over a replica that refuses', async () => {
    const [before, beforeSecond] = [registry.requests, secondRegistry.requests];
    for (let i = 0; i < 6; i++)
      expect((await gateway.call('/v3/devices/', { method: 'POST', body: { i } })).status).toBe(200);
    expect(registry.requests - before + secondRegistry.requests - beforeSecond).toBe(6);
    expect(registry.requests).toBeGreaterThan(before);
    expect(secondRegistry.requests).toBeGreaterThan(beforeSecond);
  });

  it('repeats what may be repeated when a replica breaks off: PUT, with its body', async () => {
    registry.handler = (request) => request.socket.destroy();
    for (let i = 0; i < 3; i++) {
      const reply = await gateway.call('/v3/devices/x', { method: 'PUT', body: { name: 'n' } });
      expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ body: '{"name":"n"}' })]);
    }
  });

  describe('a poll that a replica breaks off in its answer', () => {
    let polled: RunningService;
    let asked: string[];

    beforeAll(async () => {
      polled = await startService(
        definition,
        gateway.config({ GATEWAY_DISPATCHER_URLS: [registry.url, secondRegistry.url].join() }),
      );
    });
    afterAll(() => polled?.stop());
    beforeEach(() => {
      asked = [];
      registry.handler = secondRegistry.handler = (request, response) => {
        asked.push(request.url ?? '');
        if (asked.length > 1) return void response.writeHead(204).end();
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 20);
      };
    });

    /** The path as it is: `fetch` leaves out the question mark of an empty query. */
    const poll = async (path: string): Promise<number | undefined> => {
      const { hostname, port } = new URL(polled.url);
      const headers = { authorization: `Bearer ${gateway.adminKey}` };
      const request = httpRequest({ hostname, port, path, headers }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };

    it.each([
      ['/v2/notification/pull', '/v2/notification/pull?after=0'],
      ['/v2/notification/pull?', '/v2/notification/pull?&after=0'],
      ['/v2/notification/pull?noWait=true', '/v2/notification/pull?noWait=true&after=0'],
      ['/v2/notification/pull?after=abc', '/v2/notification/pull?after=abc'],
    ])('%s is repeated as %s, which confirms nothing that the client does not have', async (path, again) => {
      expect(await poll(path)).toBe(204);
      expect(asked).toEqual([path, again]);
    });
  });

  it('tries a single address once more: a Service leads another connection to another pod', async () => {
    const service = await startService(definition, gateway.config({ GATEWAY_REGISTRY_URLS: registry.url }));
    try {
      let received = 0;
      registry.handler = (request, response) => {
        if (++received === 1) request.socket.destroy();
        else response.writeHead(204).end();
      };
      const headers = { authorization: `Bearer ${gateway.adminKey}` };
      const { status } = await fetch(`${service.url}/v3/devices/x`, { headers });
      expect([status, received]).toEqual([204, 2]);
    } finally {
      await service.stop();
    }
  });

  it('503 rather than a POST sent twice', async () => {
    let received = 0;
    const breakOff: Upstream['handler'] = (request) => {
      received++;
      request.socket.destroy();
    };
    registry.handler = breakOff;
    secondRegistry.handler = breakOff;
    const reply = await gateway.call('/v3/devices', { method: 'POST', body: {} });
    expect([reply.status, reply.body.type, received]).toEqual([503, 'system_unavailable', 1]);
  });

  it('503 when no replica answers, in the form of the path', async () => {
    const reply = await gateway.call('/v3/devices/x/echo');
    expect([reply.status, reply.body.type, reply.headers.get('retry-after')]).toEqual([503, 'system_unavailable', '5']);
    const v2 = await gateway.call('/v2/notification/channel');
    expect([v2.status, v2.text]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
