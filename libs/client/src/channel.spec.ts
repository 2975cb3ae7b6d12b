import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { WebSocketServer, type WebSocket } from 'ws';
import { ChannelEnded, Lanyard } from './index.js';

const value = (text: string): string =>
  JSON.stringify({
    notifications: [
      { ep: 'd', path: '/1/2/3', ct: 'text/plain', payload: Buffer.from(text).toString('base64'), 'max-age': 0 },
    ],
  });

describe('a channel', () => {
  let server: Server;
  let sockets: WebSocketServer;
  let registrations: number;
  const open: WebSocket[] = [];
  let lanyard: Lanyard;

  beforeEach(async () => {
    registrations = 0;
    open.length = 0;
    server = createServer((_, response) => {
      registrations++;
      response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
    });
    sockets = new WebSocketServer({ server, handleProtocols: () => 'wss' });
    sockets.on('connection', (socket) => open.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    lanyard = new Lanyard({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'ak_1x' });
  });

  afterEach(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });

  const connections = (n: number): Promise<unknown> => eventually(() => expect(open).toHaveLength(n));

  it('connects again when the connection is lost, and goes on', async () => {
    const states: string[] = [];
    const channel = await lanyard.listen({ reconnectMaxMs: 10, onState: (state) => states.push(state) });
    const events = channel[Symbol.asyncIterator]();
    open[0]?.send(value('1'));
    expect((await events.next()).value).toMatchObject({ category: 'notifications', path: '/1/2/3' });
    open[0]?.terminate();
    await connections(2);
    open[1]?.send(value('2'));
    expect((await events.next()).value).toMatchObject({ item: { payload: 'Mg==' } });
    expect([registrations, states]).toEqual([1, ['open', 'connecting', 'open']]);
    channel.close();
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('registers anew when the service says that there is none', async () => {
    const channel = await lanyard.listen({ reconnectMaxMs: 10 });
    open[0]?.close(1011);
    await connections(2);
    expect(registrations).toBe(2);
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
});
