import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { WebSocket, WebSocketServer } from 'ws';
import { ChannelService } from '../test/channel-service.js';
import { Channel } from './channel.js';
import { Http } from './http.js';
import { ChannelEnded, type ChannelState, Lanyard } from './index.js';

const value = (text: string): string =>
  JSON.stringify({
    notifications: [
      { ep: 'd', path: '/1/2/3', ct: 'text/plain', payload: Buffer.from(text).toString('base64'), 'max-age': 0 },
    ],
  });

/** Answers a handshake. The client may reset the connection as soon as it has read the answer. */
const refuse = (socket: Duplex, status: number): void => {
  socket.on('error', () => undefined).end(`HTTP/1.1 ${status} No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
};

describe('a channel', () => {
  let service: ChannelService;
  let server: Server;
  let sockets: WebSocketServer;
  let open: WebSocket[];
  let baseUrl: string;
  let lanyard: Lanyard;

  beforeEach(async () => {
    service = new ChannelService();
    ({ server, sockets, connections: open } = service);
    baseUrl = await service.start();
    lanyard = new Lanyard({ baseUrl, key: 'ak_1x' });
  });

  afterEach(() => service.stop());

  const connections = (n: number): Promise<unknown> => eventually(() => expect(open.length).toBeGreaterThanOrEqual(n));

  it('reconnects when the connection is lost, and continues', async () => {
    const states: string[] = [];
    const channel = await lanyard.listen({ reconnectMaxMs: 10, onState: (state) => states.push(state) });
    const events = channel[Symbol.asyncIterator]();
    open[0]?.send(value('1'));
    expect((await events.next()).value).toMatchObject({ category: 'notifications', path: '/1/2/3' });
    open[0]?.terminate();
    await connections(2);
    open[1]?.send(value('2'));
    expect((await events.next()).value).toMatchObject({ item: { payload: 'Mg==' } });
    expect([service.registrations, states]).toEqual([1, ['open', 'connecting', 'open']]);
    channel.close();
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('registers again when the service says that there is none', async () => {
    const channel = await lanyard.listen({ reconnectMaxMs: 10 });
    open[0]?.close(1011);
    await connections(2);
    expect(service.registrations).toBe(2);
    channel.close();
  });

  it('ends with an error when the key is not valid any more', async () => {
    const channel = await lanyard.listen();
    const next = channel[Symbol.asyncIterator]().next();
    open[0]?.close(1008);
    await expect(next).rejects.toThrow(ChannelEnded);
    expect(channel.state).toBe('closed');
  });

  it('cannot be opened with a key that is not valid', async () => {
    sockets.on('connection', (socket) => socket.close(1008));
    // The connection may have been open for a moment.
    const opened = lanyard.listen().then((channel) => channel[Symbol.asyncIterator]().next());
    await expect(opened).rejects.toThrow(ChannelEnded);
  });

  it.each([401, 403])('cannot be opened when its handshake is answered with %i', async (status) => {
    server.removeAllListeners('upgrade').on('upgrade', (_, socket) => refuse(socket, status));
    await expect(lanyard.listen()).rejects.toThrow(ChannelEnded);
  });

  it('says why it is not connected', async () => {
    const [upgrade] = server.listeners('upgrade') as ((...given: unknown[]) => void)[];
    server.removeAllListeners('upgrade').once('upgrade', (_, socket) => {
      server.on('upgrade', upgrade as () => void);
      refuse(socket, 426);
    });
    const lost: unknown[] = [];
    const channel = await lanyard.listen({ reconnectMaxMs: 10, onLost: (error) => lost.push(error) });
    open[0]?.close(1012);
    await connections(2);
    expect(lost).toMatchObject([{ name: 'ConnectionLost', status: 426 }, { code: 1012 }]);
    channel.close();
  });

  it.each([400, 401, 403])('ends with an error when it cannot be registered again because of %i', async (status) => {
    const channel = await lanyard.listen({ reconnectMaxMs: 10 });
    service.registrationStatus = status;
    open[0]?.close(1011);
    const next = channel[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow(ChannelEnded);
    await expect(channel[Symbol.asyncIterator]().next()).rejects.toMatchObject({ cause: { status } });
    expect(open.length).toBe(1);
  });

  it.each([408, 500])('continues when it cannot be registered again for now because of %i', async (status) => {
    const lost: unknown[] = [];
    lanyard = new Lanyard({ baseUrl, key: 'ak_1x', retries: 0 });
    const channel = await lanyard.listen({ reconnectMaxMs: 10, onLost: (error) => lost.push(error) });
    service.registrationStatus = status;
    open[0]?.close(1011);
    await connections(2);
    expect(lost).toMatchObject([{ code: 1011 }, { status }]);
    channel.close();
  });

  it('waits longer each time when every connection ends at once', async () => {
    const atMs: number[] = [];
    sockets.on('connection', (socket) => {
      atMs.push(performance.now());
      socket.close(1012);
    });
    const channel = await lanyard.listen();
    await connections(4);
    channel.close();
    // 0.5 to 1 s; the first two waits take less than that together.
    expect((atMs[3] as number) - (atMs[2] as number)).toBeGreaterThan(450);
  });

  it('does not wait longer after connections that lasted', async () => {
    const http = new Http({ baseUrl, key: 'ak_1x', timeoutMs: 5_000, retries: 0, fetch });
    const channel = await Channel.open(http, {}, { steadyMs: 0 });
    const waitsMs: number[] = [];
    for (let n = 1; n < 8; n++) {
      const lostAtMs = performance.now();
      open.at(-1)?.terminate();
      await connections(n + 1);
      waitsMs.push(performance.now() - lostAtMs);
    }
    channel.close();
    // At most 0.25 s and the time to connect; longer each time, each of the last three would be 2 s at least.
    expect(Math.min(...waitsMs.slice(-3))).toBeLessThan(2_000);
  });

  it('connects again when the service is silent', async () => {
    const http = new Http({ baseUrl, key: 'ak_1x', timeoutMs: 5_000, retries: 0, fetch });
    const channel = await Channel.open(http, {}, { silenceMaxMs: 50 });
    await connections(2);
    channel.close();
  });

  it('connects again soon after the computer slept, although timers stood still meanwhile', async () => {
    const http = new Http({ baseUrl, key: 'ak_1x', timeoutMs: 5_000, retries: 0, fetch });
    const channel = await Channel.open(http, {}, { silenceMaxMs: 60_000 });
    const wallClock = Date.now;
    Date.now = () => wallClock() + 3_600_000;
    try {
      const wokenAtMs = performance.now();
      await connections(2);
      expect(performance.now() - wokenAtMs).toBeLessThan(45_000);
    } finally {
      Date.now = wallClock;
      channel.close();
    }
  });

  it('ends with an error when a message cannot be understood', async () => {
    const channel = await lanyard.listen();
    const next = channel[Symbol.asyncIterator]().next();
    open[0]?.send('<html>');
    await expect(next).rejects.toMatchObject({ name: 'ChannelEnded', cause: { name: 'SyntaxError' } });
  });

  it('ends with the error of a listener', async () => {
    const cause = new Error('of the application');
    const onLost = (): void => {
      throw cause;
    };
    const channel = await lanyard.listen({ onLost });
    open[0]?.terminate();
    await expect(channel[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'ChannelEnded', cause });
  });

  it.each([1, 2])('ends with what a listener throws when it is told of connection %i', async (last) => {
    const cause = new Error('of the application');
    let opened = 0;
    const onState = (state: ChannelState): void => {
      if (state === 'open' && ++opened === last) throw cause;
    };
    const listening = async (): Promise<void> => {
      const channel = await lanyard.listen({ reconnectMaxMs: 10, onState });
      open[0]?.terminate();
      await channel[Symbol.asyncIterator]().next();
    };
    await expect(listening()).rejects.toMatchObject({ name: 'ChannelEnded', cause });
    expect(opened).toBe(last);
  });

  it('is closed by leaving its loop', async () => {
    const channel = await lanyard.listen();
    const closed = new Promise((resolve) => open[0]?.on('close', resolve));
    open[0]?.send(value('1'));
    const handling = async (): Promise<void> => {
      for await (const { category } of channel) throw new Error(category);
    };
    await expect(handling()).rejects.toThrow('notifications');
    expect([channel.state, await closed]).toEqual(['closed', 1000]);
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const channel = await lanyard.listen({ signal: stop.signal });
    const next = channel[Symbol.asyncIterator]().next();
    const closed = new Promise((resolve) => open[0]?.on('close', resolve));
    stop.abort();
    expect(await next).toEqual({ value: undefined, done: true });
    expect([channel.state, await closed]).toEqual(['closed', 1000]);
  });

  it('that was never open ends with its signal, too', async () => {
    let handshakes = 0;
    server.removeAllListeners('upgrade').on('upgrade', (_, socket) => {
      handshakes++;
      refuse(socket, 426);
    });
    const stop = new AbortController();
    const reason = new Error('of the application');
    const listening = lanyard.listen({ reconnectMaxMs: 10, signal: stop.signal });
    const ended = expect(listening).rejects.toBe(reason);
    await eventually(() => expect(handshakes).toBeGreaterThan(1));
    stop.abort(reason);
    await ended;
    await expect(lanyard.listen({ signal: stop.signal })).rejects.toBe(reason);
    expect(service.registrations).toBe(1);
  });

  it('leaves no request behind when it is closed', async () => {
    const channel = await lanyard.listen({ reconnectMaxMs: 10 });
    const asked = new Promise<IncomingMessage>((resolve) =>
      server.removeAllListeners('request').once('request', resolve),
    );
    open[0]?.close(1011);
    const { socket } = await asked;
    channel.close();
    // By itself, the request would end after 30 s.
    await eventually(() => expect(socket.destroyed).toBe(true), { timeoutMs: 15_000 });
  });
});
