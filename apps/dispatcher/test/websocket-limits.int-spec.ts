import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { eventually, patienceMs, WebSocketClient, type WebSocketOptions } from '@lanyard/testing';
import { closeTimeoutMs } from '../src/connections/websocket-session.js';
import { type Customer, TestSystem, numbers, payloads } from './test-system.js';

const hourMs = 3_600_000;

describe('a WebSocket and its limits', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  const clients: WebSocketClient[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('websocket-limits');
    service = await system.startReplica();
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket', { serialization: { max_chunk_size: 1 } });
  });

  afterEach(() => {
    system.clock.resume();
    for (const client of clients.splice(0)) client.cut();
  });

  const connect = (options: Partial<WebSocketOptions> = {}): Promise<WebSocketClient> => {
    const client = new WebSocketClient({ url: service.url, key: customer.key, ...options });
    clients.push(client);
    return client.opened();
  };

  const state = async (): Promise<object> => (await system.call(service, customer, 'GET', 'websocket')).body as object;

  const isConnected = (): Promise<unknown> =>
    eventually(async () => expect(await state()).toMatchObject({ status: 'connected' }));

  it('pings of the client are answered with their bytes', async () => {
    const client = await connect();
    for (const bytes of ['ping', '', '\u0000\u0001']) {
      const answer = once(client.socket, 'pong');
      client.socket.ping(bytes);
      expect(((await answer)[0] as Buffer).toString()).toBe(bytes);
    }
    expect(client.closed).toBeUndefined();
  });

  it('max_chunk_size 1: a message for each event, and a pong for each message', async () => {
    await system.values(customer, 0, 30);
    const client = await connect();
    await eventually(() => expect(payloads(client.events('notifications'))).toEqual(numbers(0, 30)));
    expect(client.messages).toHaveLength(30);
    await eventually(async () => expect(await state()).toMatchObject({ queue_size: 0 }));
    expect(new Set(client.pings.map((ping) => ping.length))).toEqual(new Set([4]));
    expect(new Set(client.pings.map((ping) => ping.toString('hex'))).size).toBe(client.pings.length);
  });

  it('a pong that answers no ping proves nothing', async () => {
    const client = await connect({ echo: false });
    // The ping is answered late.
    system.clock.slowDown();
    await system.value(customer, 'unproven');
    await eventually(() => expect([client.messages.length, client.pings.length]).toEqual([1, 1]));
    const [ping] = client.pings as [Buffer];
    client.socket.pong(Buffer.from(ping.map((byte) => byte ^ 0xff)));
    client.socket.pong(ping.subarray(0, 3));
    const seen = once(client.socket, 'pong');
    client.socket.ping('mark');
    await seen;
    // What a pong proves is removed before the next event is sent.
    await system.value(customer, 'next');
    await eventually(() => expect(client.messages).toHaveLength(2));
    expect(await state()).toMatchObject({ queue_size: 2 });
    client.socket.pong(ping);
    await eventually(async () => expect(await state()).toMatchObject({ queue_size: 1 }));
  });

  it('a socket that is closed is disconnected at once, although its client does not answer the close', async () => {
    const client = await connect();
    await isConnected();
    client.pause();
    // The service does not give up waiting for the close meanwhile.
    system.clock.stretched.set(closeTimeoutMs, 2 * patienceMs);
    try {
      await system.announceKey(customer, { permissions: [] });
      await eventually(async () => expect(await state()).toMatchObject({ status: 'disconnected' }));
    } finally {
      system.clock.stretched.clear();
    }
  });

  // Last, because the clock is days ahead of events that come after.
  it('1001 after 24 h without an event; the channel stays and stores, 24 h more', async () => {
    const client = await connect();
    await isConnected();
    system.clock.slowDown();
    system.clock.jump(24 * hourMs - 5_000);
    await eventually(() => expect(client.pings).not.toHaveLength(0));
    expect(client.closed).toBeUndefined();
    system.clock.resume();
    system.clock.jump(6_000);
    await eventually(() => expect(client.closed).toMatchObject({ code: 1001 }));
    expect(client.closed).toMatchObject({ reason: 'inactivity' });
    await eventually(async () => expect(await state()).toMatchObject({ status: 'disconnected' }));
    system.clock.jump(23 * hourMs);
    expect(await state()).toMatchObject({ status: 'disconnected' });
    system.clock.jump(hourMs);
    await eventually(async () => expect((await system.call(service, customer, 'GET', 'websocket')).status).toBe(404));
  });
});
