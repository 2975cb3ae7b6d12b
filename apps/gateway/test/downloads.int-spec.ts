import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOCK, identityHeader, systemClock } from '@lanyard/service';
import { withProviders } from '@lanyard/testing';
import { stalledMs } from '../src/proxy/unread-responses.js';
import { TestSystem } from './test-system.js';
import { type Seen, Upstream } from './upstream.js';

let gateway: TestSystem;
let campaigns: Upstream;
/** Time stands still: no address may try again because the machine is slow. */
const startedMs = Date.now();
const clock = { ...systemClock, now: () => startedMs };

beforeAll(async () => {
  campaigns = await new Upstream().listen();
  gateway = await (
    await TestSystem.corner('downloads')
  ).start(
    {
      GATEWAY_CAMPAIGNS_URLS: campaigns.url,
      GATEWAY_UNAUTHENTICATED_RATE_PER_SECOND: '1',
      GATEWAY_UNAUTHENTICATED_RATE_BURST: '5',
      GATEWAY_TRUSTED_PROXIES: '1',
    },
    withProviders([CLOCK, clock]),
  );
});
afterAll(async () => {
  await gateway?.stop();
  await campaigns?.stop();
});

const ticket = '0123456789abcdef0123456789abcdef';
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(gateway.service.url + path, { method, headers });

describe('GET /downloads/{ticket}', () => {
  it('needs no key, passes none on, and keeps the device to itself', async () => {
    campaigns.echo();
    const headers = {
      range: 'bytes=2-4',
      authorization: 'Bearer x',
      [identityHeader]: 'forged',
      'x-forwarded-for': '192.0.2.1',
    };
    const seen = (await (await get(`/downloads/${ticket}`, headers)).json()) as Seen;
    expect(seen).toMatchObject({ method: 'GET', url: `/downloads/${ticket}`, headers: { range: 'bytes=2-4' } });
    expect(seen.headers).not.toHaveProperty('authorization');
    expect(seen.headers).not.toHaveProperty(identityHeader);
    campaigns.handler = (_, response) =>
      response.writeHead(206, { 'x-lanyard-device': 'secret', 'content-range': 'bytes 2-4/8', etag: '"a"' }).end('rmw');
    const answer = await get(`/downloads/${ticket}`, headers);
    expect([answer.status, await answer.text()]).toEqual([206, 'rmw']);
    expect(answer.headers.get('content-range')).toBe('bytes 2-4/8');
    expect(answer.headers.get('x-lanyard-device')).toBeNull();
  });

  it('streams what does not fit into memory at once', async () => {
    const bytes = Buffer.alloc(3_000_000, 'firmware');
    campaigns.handler = (_, response) => response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    const answer = await get(`/downloads/${ticket}`, { 'x-forwarded-for': '192.0.2.1' });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    const head = await get(`/downloads/${ticket}`, { 'x-forwarded-for': '192.0.2.1' }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  });

  it('ends with a client that reads nothing for too long', async () => {
    const bytes = Buffer.alloc(33_554_432);
    campaigns.handler = (_, response) => response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    const server: Server = gateway.service.app.getHttpServer();
    const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const leave = new AbortController();
    const headers = { 'x-forwarded-for': '192.0.2.2' };
    const answer = await fetch(`${gateway.service.url}/downloads/${ticket}`, { headers, signal: leave.signal });
    const [, response] = await asked;
    expect([answer.status, response.socket?.timeout]).toEqual([200, stalledMs]);
    leave.abort();
  });

  it('429 for an address that tries tickets, and for no other', async () => {
    campaigns.handler = (_, response) => response.writeHead(404).end();
    const guess = async (from: string): Promise<number> =>
      (await get(`/downloads/${ticket}`, { 'x-forwarded-for': from })).status;
    for (let n = 0; n < 5; n++) expect(await guess('192.0.2.7')).toBe(404);
    expect(await guess('192.0.2.7')).toBe(429);
    expect(await guess('192.0.2.8')).toBe(404);
  });

  it.each(['POST', 'PUT', 'DELETE'])('405 for %s', async (method) => {
    expect((await get(`/downloads/${ticket}`, {}, method)).status).toBe(405);
  });
});
