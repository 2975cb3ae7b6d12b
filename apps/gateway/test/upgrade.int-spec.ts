import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, withProviders } from '@lanyard/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { CLOCK, startService, systemClock } from '@lanyard/service';
import { definition } from '../src/app.module.js';
import { TestSystem } from './test-system.js';
import { closedPort, Upstream } from './upstream.js';

const path = '/v2/notification/websocket-connect';

let gateway: TestSystem;
let dispatcher: Upstream;
let sockets: WebSocketServer;
const handshakes: Record<string, unknown>[] = [];

beforeAll(async () => {
  dispatcher = await new Upstream().listen();
  sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'wss' });
  sockets.on('connection', (socket) => socket.on('message', (data, binary) => socket.send(data, { binary })));
  dispatcher.server.on('upgrade', (request, socket, head) => {
    handshakes.push({ ...request.headers, url: request.url });
    if (request.headers['x-refuse']) {
      const body = 'CHANNEL_BUSY';
      socket.end(`HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    } else sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit('connection', ws, request));
  });
  const dead = `http://127.0.0.1:${await closedPort()}`;
  gateway = await (
    await TestSystem.corner('upgrade')
  ).start({ GATEWAY_DISPATCHER_URLS: [dead, dispatcher.url].join() });
});
afterAll(async () => {
  await gateway?.stop();
  sockets?.close();
  await dispatcher?.stop();
});

const url = (base = gateway.service.url): string => base.replace('http', 'ws') + path;

const open = async (target = url()): Promise<WebSocket> => {
  const socket = new WebSocket(target, ['wss', 'service_key'], { perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
};

/** Sends text over a plain connection and gives all that came back until it ended. */
const raw = async (text: string): Promise<string> => {
  const socket = connect({ port: Number(new URL(gateway.service.url).port), host: '127.0.0.1' });
  socket.write(text);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  await once(socket, 'close');
  return answer;
};

const handshake = (target: string, extra = ''): string =>
  `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${extra}\r\n`;

describe('the upgrade', () => {
  it('passes handshake and frames through, over a dead replica too', async () => {
    const socket = await open(url().replace('/v2/', '//v2/'));
    expect(socket.protocol).toBe('wss');
    const large = 'x'.repeat(2_000_000);
    const received: string[] = [];
    socket.on('message', (data: Buffer) => received.push(data.toString()));
    for (const text of ['one', large, 'three']) socket.send(text);
    await eventually(() => received.length === 3);
    expect(received).toEqual(['one', large, 'three']);
    expect(handshakes.at(-1)).toMatchObject({
      url: path,
      'sec-websocket-protocol': 'wss,service_key',
      'x-forwarded-for': '127.0.0.1',
    });
    socket.close(1000);
    await once(socket, 'close');
  });

  it('passes the close code of the dispatcher', async () => {
    const socket = await open();
    const closed = once(socket, 'close');
    for (const held of sockets.clients) held.close(1012, 'restart');
    expect((await closed)[0]).toBe(1012);
  });

  it('a client that breaks off is gone at the dispatcher too, and the other way round', async () => {
    const socket = await open();
    const [held] = sockets.clients;
    socket.terminate();
    await eventually(() => held?.readyState === WebSocket.CLOSED);
    const second = await open();
    const closed = once(second, 'close');
    for (const other of sockets.clients) other.terminate();
    expect((await closed)[0]).toBe(1006);
  });

  it('what a client sends right behind its handshake arrives', async () => {
    // A masked text frame "hi" with mask 0, then a close frame.
    const frames = '\x81\x82\0\0\0\0hi\x88\x80\0\0\0\0';
    const socket = connect({ port: Number(new URL(gateway.service.url).port), host: '127.0.0.1' });
    socket.write(Buffer.from(handshake(path) + frames, 'latin1'));
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    await once(socket, 'end');
    socket.end();
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
    expect(answer).toContain('\x81\x02hi');
  });

  it('passes a refusal and ends the connection', async () => {
    const answer = await raw(handshake(path, 'x-refuse: 1\r\n') + 'GET /v3/devices HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toMatch(/retry-after: 3/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toMatch(/CHANNEL_BUSY$/);
  });

  it('400 for a URL over 4096 characters', async () => {
    expect(await raw(handshake(`${path}?x=${'y'.repeat(4_100)}`))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['itself', handshake(`${path}?x=${'y'.repeat(4_100)}`)],
    ['for the dispatcher', handshake(path, 'x-refuse: 1\r\n')],
  ])('does not keep the connection of a client that it has refused %s', async (_, text) => {
    const port = Number(new URL(gateway.service.url).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write(text);
    await once(socket, 'end');
    // What a client sends to a closed connection is refused.
    const writing = setInterval(() => socket.write('x'), 20);
    await new Promise((closed) => socket.once('close', closed));
    clearInterval(writing);
  });

  it("takes the client's request id when it is sane", async () => {
    for (const given of ['my-id_1', 'no good']) {
      const answer = await raw(handshake(path, `x-refuse: 1\r\nx-request-id: ${given}\r\n`));
      const id = /\r\nx-request-id: (.*)\r\n/.exec(answer)?.[1];
      expect(id).toMatch(given === 'my-id_1' ? /^my-id_1$/ : /^[0-9a-f]{32}$/);
      expect(handshakes.at(-1)).toMatchObject({ 'x-request-id': id });
    }
    const long = await raw(handshake(`${path}?x=${'y'.repeat(4_100)}`, 'x-request-id: my-id_2\r\n'));
    expect(long).toContain('\r\nx-request-id: my-id_2\r\n');
  });

  it('an upgrade that is not offered is ignored: the request is answered as usual', async () => {
    const h2c = 'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n';
    const key = `authorization: Bearer ${gateway.adminKey}\r\n`;
    const body = '{"name":"from-java"}';
    const socket = connect({ port: Number(new URL(gateway.service.url).port), host: '127.0.0.1' });
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.write(`POST /v3/api-keys HTTP/1.1\r\nhost: x\r\n${key}${h2c}content-length: ${body.length}\r\n\r\n${body}`);
    await eventually(() => answer.includes('from-java'));
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    socket.write(`GET /v3/accounts/me HTTP/1.1\r\nhost: x\r\n${key}connection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(answer).toContain('"object":"account"');
  });

  it('a body behind thousands of headers of such a request is its body, and no further request', async () => {
    const body = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    const head = 'POST /v3/api-keys HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n';
    const length = `content-length: ${body.length}\r\n\r\n`;
    const first = head + 'a:\r\n'.repeat(2_200) + length + body;
    // The body is no JSON, and the connection ends with the answer that says so.
    expect((await raw(first)).match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
  });

  it('a handshake by another method than GET is none', async () => {
    const count = handshakes.length;
    const last = 'GET /v3/devices HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    expect(await raw(handshake(path).replace('GET', 'POST') + last)).toMatch(/^HTTP\/1\.1 401 /);
    expect(handshakes).toHaveLength(count);
  });

  it.each([
    ['content-length: 4\r\n', 'body'],
    ['transfer-encoding: chunked\r\n', '0\r\n\r\n'],
  ])('400 for one with a body (%j), of which the dispatcher gets nothing', async (header, body) => {
    const count = handshakes.length;
    expect(await raw(handshake(path, header) + body)).toMatch(/^HTTP\/1\.1 400 /);
    expect(handshakes).toHaveLength(count);
  });

  it('401 without a handshake and without a key', async () => {
    expect((await gateway.call(path, { key: null })).status).toBe(401);
  });

  it('counts against the rate of its key like a request', async () => {
    const { key } = await gateway.newKey();
    const config = gateway.config({
      GATEWAY_DISPATCHER_URLS: dispatcher.url,
      // Without Redis, the replica counts alone.
      REDIS_URL: 'redis://127.0.0.1:9',
      GATEWAY_KEY_RATE_PER_SECOND: '1',
      GATEWAY_KEY_RATE_BURST: '3',
    });
    const startedMs = Date.now();
    const stopped = { ...systemClock, now: () => startedMs };
    const other = await startService(definition, config, withProviders([CLOCK, stopped]));
    const ask = async (): Promise<number> =>
      (await fetch(`${other.url}/v3/api-keys/me`, { headers: { authorization: `Bearer ${key}` } })).status;
    const shakeHands = (): Promise<unknown> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url(other.url), ['wss', `service_${key}`]);
        socket.on('error', () => undefined);
        socket.on('open', () => {
          resolve(101);
          socket.terminate();
        });
        socket.on('unexpected-response', (_, { statusCode, headers }) => {
          resolve([statusCode, headers['retry-after']]);
          socket.terminate();
        });
      });
    try {
      const count = handshakes.length;
      expect([await ask(), await shakeHands(), await shakeHands()]).toEqual([200, 101, 101]);
      expect([await shakeHands(), await ask()]).toEqual([[429, '1'], 429]);
      expect(handshakes).toHaveLength(count + 2);
    } finally {
      await other.stop();
    }
  });

  it('502 when no dispatcher answers', async () => {
    const lonely = await startService(
      definition,
      gateway.config({ GATEWAY_DISPATCHER_URLS: `http://127.0.0.1:${await closedPort()}` }),
    );
    try {
      const socket = new WebSocket(url(lonely.url));
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      expect(response.statusCode).toBe(502);
      socket.on('error', () => undefined).terminate();
    } finally {
      await lonely.stop();
    }
  });

  it('asks another dispatcher while one is stopping, whose refusal it passes on if there is no other', async () => {
    const stopping = await new Upstream().listen();
    let refused = 0;
    stopping.server.on('upgrade', (_request, socket) => {
      refused++;
      socket.end('HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n');
    });
    const urls = [stopping.url, dispatcher.url].join();
    const both = await startService(definition, gateway.config({ GATEWAY_DISPATCHER_URLS: urls }));
    const lonely = await startService(definition, gateway.config({ GATEWAY_DISPATCHER_URLS: stopping.url }));
    try {
      const opened = [await open(url(both.url)), await open(url(both.url))];
      expect([opened.map(({ protocol }) => protocol), refused]).toEqual([['wss', 'wss'], 1]);
      for (const socket of opened) socket.terminate();
      const refusedOne = new WebSocket(url(lonely.url));
      const [, response] = (await once(refusedOne, 'unexpected-response')) as [
        unknown,
        { statusCode: number; headers: Record<string, string> },
      ];
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
      refusedOne.on('error', () => undefined).terminate();
    } finally {
      await both.stop();
      await lonely.stop();
      await stopping.stop();
    }
  });

  it('a stop closes sockets with 1012, behind all that the dispatcher had sent', async () => {
    const variables = { GATEWAY_DISPATCHER_URLS: dispatcher.url, GATEWAY_DRAIN_TIMEOUT_MS: '9000' };
    const other = await startService(definition, gateway.config(variables));
    const socket = await open(url(other.url));
    let received = 0;
    socket.on('message', () => received++);
    const held = [...sockets.clients].at(-1) as WebSocket;
    const heldClosed = once(held, 'close');
    for (let i = 0; i < 500; i++) held.send('x'.repeat(2_000));
    const closed = once(socket, 'close');
    await other.stop();
    expect((await closed)[0]).toBe(1012);
    expect((await heldClosed)[0]).toBe(1012);
    expect(received).toBe(500);
  });

  it('a stop cuts a socket whose client is in the middle of a frame, after the bound', async () => {
    const config = { GATEWAY_DISPATCHER_URLS: dispatcher.url, GATEWAY_DRAIN_TIMEOUT_MS: '200' };
    const other = await startService(definition, gateway.config(config));
    const socket = connect({ port: Number(new URL(other.url).port), host: '127.0.0.1' });
    socket.write(handshake(path));
    await once(
      socket.on('error', () => undefined),
      'data',
    );
    const closed = once(socket.resume(), 'close');
    socket.write(Buffer.from([0x81, 0x85, 0, 0, 0, 0, 0x61]));
    await other.stop();
    await closed;
  });
});
