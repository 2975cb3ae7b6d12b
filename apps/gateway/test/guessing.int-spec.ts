import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOCK, formatApiKey, newSecret, parseApiKey, systemClock } from '@lanyard/service';
import { eventually, withProviders } from '@lanyard/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

let gateway: TestSystem;
let dispatcher: Upstream;
/** Time stands still between the steps of a test, however slow the machine is. */
const startedMs = Date.now();
let aheadMs = 0;

beforeAll(async () => {
  dispatcher = await new Upstream().listen();
  // As if every key were wrong.
  const sockets = new WebSocketServer({ noServer: true });
  dispatcher.server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) => client.close(1008, 'invalid key')),
  );
  const variables = {
    GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000',
    GATEWAY_TRUSTED_PROXIES: '1',
    GATEWAY_DISPATCHER_URLS: dispatcher.url,
  };
  gateway = await (
    await TestSystem.corner('guessing')
  ).start(variables, withProviders([CLOCK, { ...systemClock, now: () => startedMs + aheadMs }]));
});
afterAll(async () => {
  await gateway?.stop();
  await dispatcher?.stop();
});

/** A well-formed key with the right id and another secret. */
const guess = (key: string): string => {
  const { accountId, keyId } = parseApiKey(key) as { accountId: string; keyId: string };
  return formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) });
};

const ask = (key: string, from: string): ReturnType<TestSystem['call']> =>
  gateway.call('/v3/accounts/me', { key, headers: { 'x-forwarded-for': from } });

/** The close code, or the status of a refused handshake with its Retry-After. */
const connect = (key: string, from: string): Promise<(number | string | undefined)[]> =>
  new Promise((resolve) => {
    const url = gateway.service.url.replace('http', 'ws') + '/v2/notification/websocket-connect';
    const socket = new WebSocket(url, [`service_${key}`, 'wss'], { headers: { 'x-forwarded-for': from } });
    socket.on('error', () => undefined);
    socket.on('close', (code) => resolve([code]));
    socket.on('unexpected-response', (_, { statusCode, headers }) => {
      resolve([statusCode, headers['retry-after']]);
      socket.terminate();
    });
  });

describe('guessing at the secret of a key', () => {
  it('429 after five wrong secrets of one source, for this key only; the owner elsewhere is not locked out', async () => {
    const [aim, other] = [await gateway.newKey(), await gateway.newKey()];
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(guess(aim.key), '192.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const refused = await ask(guess(aim.key), '192.0.2.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    // Two instances on one host, one of them with an old secret: the other is not locked out, however long that lasts.
    for (const [laterMs, status] of [
      [0, 429],
      [15_000, 401],
      [30_000, 401],
      [60_000, 401],
      [60_000, 401],
      // 16 s to wait.
      [6_000, 429],
      [6_000, 429],
    ] as const) {
      aheadMs += laterMs;
      expect((await ask(guess(aim.key), '192.0.2.1')).status).toBe(status);
      expect((await ask(aim.key, '192.0.2.1')).status).toBe(200);
    }
    expect((await ask(aim.key, '192.0.2.2')).status).toBe(200);
    expect((await ask(other.key, '192.0.2.1')).status).toBe(200);
  });

  it('an IPv6 client is one source, whichever address of its network it uses', async () => {
    const aim = await gateway.newKey();
    const statuses: number[] = [];
    for (let i = 1; i <= 6; i++) statuses.push((await ask(guess(aim.key), `2001:db8::${i}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await ask(guess(aim.key), '2001:db8:0:1::1')).status).toBe(401);
  });
});

/** Requests and handshakes without a valid key so far. */
const refusedCount = async (): Promise<number> => {
  const page = await (await fetch(`${gateway.service.url}/metrics`)).text();
  const [, count = '0'] = /^lanyard_gateway_refused_requests_total\{.*"unauthenticated".*\} (\d+)$/m.exec(page) ?? [];
  return Number(count);
};

describe('guessing with WebSockets', () => {
  it('429 after five wrong secrets of one source, as with requests; what is wrong the dispatcher says until then', async () => {
    const aim = await gateway.newKey();
    const wrong = guess(aim.key);
    const before = await refusedCount();
    for (let i = 0; i < 5; i++) expect(await connect(wrong, '192.0.2.7')).toEqual([1008]);
    // They are counted beside the handshake.
    await eventually(async () => expect(await refusedCount()).toBe(before + 5));
    expect(await connect(wrong, '192.0.2.7')).toEqual([429, '1']);
    expect((await ask(wrong, '192.0.2.7')).status).toBe(429);
    expect((await ask(aim.key, '192.0.2.7')).status).toBe(200);
    expect(await connect(wrong, '192.0.2.8')).toEqual([1008]);
  });

  it('a key that is known passes, however long the guesses last, and is no guess', async () => {
    const aim = await gateway.newKey();
    for (const laterMs of [0, 0, 0, 0, 0, 15_000, 30_000, 60_000, 60_000]) {
      aheadMs += laterMs;
      await ask(guess(aim.key), '192.0.2.9');
    }
    aheadMs += 6_000;
    expect((await connect(guess(aim.key), '192.0.2.9'))[0]).toBe(429);
    for (let i = 0; i < 9; i++) expect(await connect(aim.key, '192.0.2.9')).toEqual([1008]);
    expect(await connect(aim.key, '192.0.2.10')).toEqual([1008]);
    expect((await ask(aim.key, '192.0.2.10')).status).toBe(200);
  });
});
