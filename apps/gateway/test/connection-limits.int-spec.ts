import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOCK, type CreateApp } from '@lanyard/service';
import { eventually, TestClock, withProviders } from '@lanyard/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

describe('connections to the gateway', () => {
  let dispatcher: Upstream;
  const gateways: TestSystem[] = [];
  const sockets: Socket[] = [];
  const clients: WebSocket[] = [];

  beforeAll(async () => {
    dispatcher = await new Upstream().listen();
    const server = new WebSocketServer({ noServer: true });
    dispatcher.server.on('upgrade', (request, socket, head) =>
      server.handleUpgrade(request, socket, head, () => undefined),
    );
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const client of clients.splice(0)) client.terminate();
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await dispatcher?.stop();
  });

  const start = async (variables: Record<string, string> = {}, create?: CreateApp): Promise<TestSystem> => {
    const gateway = await TestSystem.corner('connection-limits');
    gateways.push(gateway);
    return gateway.start({ GATEWAY_DISPATCHER_URLS: dispatcher.url, ...variables }, create);
  };
  /** Opens so many connections from an address of this machine. */
  const open = async (gateway: TestSystem, count: number, localAddress: string): Promise<Socket[]> => {
    const port = Number(new URL(gateway.service.url).port);
    const opened = Array.from({ length: count }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined).resume();
      return socket;
    });
    sockets.push(...opened);
    await Promise.all(opened.map((socket) => once(socket, 'connect').catch(() => undefined)));
    return opened;
  };
  /** Connections that have had a request: without one, they are closed after 10 s. */
  const openUsed = async (gateway: TestSystem, count: number, localAddress: string): Promise<Socket[]> => {
    const opened = await open(gateway, count, localAddress);
    let answered = 0;
    for (const socket of opened) {
      socket.once('data', () => answered++);
      socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    await eventually(() => expect(answered).toBe(count));
    return opened;
  };
  /** What a request on a new connection gets until that is closed. */
  const answerTo = async (gateway: TestSystem, path: string): Promise<string> => {
    const [socket] = (await open(gateway, 1, '127.0.0.3')) as [Socket];
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    await closed;
    return text;
  };
  const openOf = (some: readonly Socket[]): number => some.filter((socket) => !socket.destroyed).length;
  /** The status of a refused handshake; 101 when it was accepted. */
  const handshake = (gateway: TestSystem, from: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const url = gateway.service.url.replace('http', 'ws') + '/v2/notification/websocket-connect';
      const protocols = [`service_${gateway.adminKey}`, 'wss'];
      const client = new WebSocket(url, protocols, { headers: { 'x-forwarded-for': from }, localAddress: '127.0.0.9' });
      clients.push(client);
      client.on('error', () => resolve(undefined));
      client.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      client.on('upgrade', () => resolve(101));
    });

  it('of one address are bounded, by 2,500 unless told otherwise, and another address gets in', async () => {
    const gateway = await start({ GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '250' });
    expect(gateway.config().connections).toEqual({ max: 20_000, perAddressMax: 2_500 });
    const mine = await open(gateway, 300, '127.0.0.2');
    await eventually(() => expect(openOf(mine)).toBe(250));
    expect((await gateway.call('/v3/api-keys/me')).status).toBe(200);
    expect(await (await fetch(`${gateway.service.url}/metrics`)).text()).toMatch(
      /refused_connections_total\{[^}]*limit="address"[^}]*\} 50/,
    );
    for (const socket of mine) socket.destroy();
    await eventually(async () => {
      const [again] = await open(gateway, 1, '127.0.0.2');
      await new Promise((resolve) => setImmediate(resolve));
      expect(again?.destroyed).toBe(false);
    });
  });

  it('WebSockets count, and requests whose upgrade is ignored count once', async () => {
    const gateway = await start({ GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '3' });
    for (let n = 0; n < 3; n++) expect(await handshake(gateway, '192.0.2.1')).toBe(101);
    expect(await handshake(gateway, '192.0.2.1')).toBeUndefined();
    clients.splice(0).forEach((client) => client.terminate());
    await eventually(async () => expect(await handshake(gateway, '192.0.2.1')).toBe(101));
    const port = Number(new URL(gateway.service.url).port);
    const [socket] = await open(gateway, 1, '127.0.0.3');
    for (let n = 0; n < 5; n++) {
      socket?.write(`GET /healthz HTTP/1.1\r\nhost: a:${port}\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`);
      await once(socket as Socket, 'data');
    }
    expect(openOf(await open(gateway, 2, '127.0.0.3'))).toBe(2);
  });

  it('behind a proxy, whose address all clients share, WebSockets are bounded for each client', async () => {
    const gateway = await start({ GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '3', GATEWAY_TRUSTED_PROXIES: '1' });
    const proxied = await openUsed(gateway, 20, '127.0.0.9');
    for (let n = 0; n < 3; n++) expect(await handshake(gateway, '192.0.2.1')).toBe(101);
    expect(await handshake(gateway, '192.0.2.1')).toBe(429);
    expect(await handshake(gateway, '192.0.2.2')).toBe(101);
    for (let n = 0; n < 3; n++) expect(await handshake(gateway, `2001:db8::${n}`)).toBe(101);
    expect(await handshake(gateway, '2001:db8:0:0:1::')).toBe(429);
    expect(await handshake(gateway, '2001:db8:0:1::')).toBe(101);
    expect(openOf(proxied)).toBe(20);
  });

  it.each([
    ['0', 'timeout=65'],
    ['1', 'timeout=3900'],
  ])('with %s trusted proxies, idle ones stay open for this long: %s', async (proxies, keptFor) => {
    const gateway = await start({ GATEWAY_TRUSTED_PROXIES: proxies });
    const { headers } = await fetch(`${gateway.service.url}/healthz`);
    expect(headers.get('keep-alive')).toBe(keptFor);
  });

  it('are bounded in total', async () => {
    const clock = new TestClock(Date.now());
    const gateway = await start({ GATEWAY_CONNECTIONS_MAX: '5' }, withProviders([CLOCK, clock]));
    const all = [...(await openUsed(gateway, 5, '127.0.0.2')), ...(await open(gateway, 4, '127.0.0.3'))];
    expect(openOf(all)).toBe(9);
    await eventually(async () => {
      await clock.advance(1_000);
      expect(openOf(all)).toBe(5);
    });
  });

  it('beyond the total are there for probes, and closed without an answer for anything else', async () => {
    const gateway = await start({ GATEWAY_CONNECTIONS_MAX: '5' });
    const all = await openUsed(gateway, 5, '127.0.0.2');
    expect(await answerTo(gateway, '/healthz')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo(gateway, '/readyz')).toMatch(/^HTTP\/1\.1 (200|503) /);
    expect(await answerTo(gateway, '/v3/api-keys/me')).toBe('');
    expect(await handshake(gateway, '192.0.2.1')).toBeUndefined();
    expect(openOf(all)).toBe(5);
    all[0]?.destroy();
    await eventually(async () => expect(await answerTo(gateway, '/v3/api-keys/me')).toMatch(/^HTTP\/1\.1 401 /));
  });
});
