import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprintOf, formatApiKey, hashSecret, newId, newSecret, type RunningService } from '@lanyard/service';
import { eventually, WebSocketClient, type WebSocketOptions } from '@lanyard/testing';
import { WebSocket } from 'ws';
import { WebSocketSessions } from '../src/connections/websocket-sessions.js';
import { KeyDirectory } from '../src/keys/key-directory.js';
import { type Customer, TestSystem, numbers, payloads } from './test-system.js';
import { timeUntil } from './time-until.js';

describe('delivery to a WebSocket', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  const clients: WebSocketClient[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('websockets');
    service = await system.startReplica();
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.cut();
  });

  const connect = (options: Partial<WebSocketOptions> = {}): Promise<WebSocketClient> => {
    const client = new WebSocketClient({ url: service.url, key: customer.key, ...options });
    clients.push(client);
    return client.opened();
  };

  const register = (serialization?: object): Promise<unknown> =>
    system.call(service, customer, 'PUT', 'websocket', { serialization });

  const state = async (): Promise<Record<string, unknown>> =>
    (await system.call(service, customer, 'GET', 'websocket')).body as Record<string, unknown>;

  const closedWith = (client: WebSocketClient, code: number): Promise<unknown> =>
    eventually(() => expect(client.closed).toMatchObject({ code }));

  /** A socket has its channel a moment after the handshake. */
  const isBound = (as = customer): Promise<unknown> =>
    eventually(async () =>
      expect((await system.call(service, as, 'GET', 'websocket')).body).toMatchObject({ status: 'connected' }),
    );

  const received = (client: WebSocketClient): string[] => payloads(client.events('notifications'));

  it('what was queued comes on connect, then what happens, in order', async () => {
    await register({ type: 'v2', max_chunk_size: 7 });
    await system.values(customer, 0, 40);
    await eventually(async () => expect(await state()).toMatchObject({ status: 'disconnected', queue_size: 40 }));
    const client = await connect();
    await eventually(() => expect(received(client)).toEqual(numbers(0, 40)));
    await system.values(customer, 40, 10);
    await eventually(() => expect(received(client)).toEqual(numbers(0, 50)));
    await eventually(async () => expect(await state()).toMatchObject({ status: 'connected', queue_size: 0 }));
    await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'connected' }));
    client.close();
    await eventually(async () => expect(await state()).toMatchObject({ status: 'disconnected' }));
  });

  it('the key may come as a subprotocol, of which `wss` is selected', async () => {
    await register();
    const client = new WebSocketClient({ url: service.url, protocols: ['wss', `service_${customer.key}`] });
    clients.push(client);
    expect((await client.opened()).protocol).toBe('wss');
    await system.value(customer, 1);
    await eventually(() => expect(received(client)).toEqual(['1']));
  });

  it('what was sent to a socket that broke is sent again', async () => {
    await register();
    const broken = await connect({ echo: false });
    await system.values(customer, 0, 5);
    await eventually(() => expect(received(broken)).toEqual(numbers(0, 5)));
    expect(await state()).toMatchObject({ queue_size: 5 });
    broken.cut();
    const next = await connect();
    await eventually(() => expect(received(next)).toEqual(numbers(0, 5)));
    await eventually(async () => expect(await state()).toMatchObject({ queue_size: 0 }));
  });

  it('1001: a newer socket takes the place of the older', async () => {
    await register();
    const older = await connect();
    await isBound();
    const newer = await connect();
    await closedWith(older, 1001);
    await system.value(customer, 1);
    await eventually(() => expect(received(newer)).toEqual(['1']));
    expect(newer.closed).toBeUndefined();
  });

  it('a socket that breaks as it takes the place of another leaves the channel disconnected, as announced', async () => {
    await register();
    const older = await connect();
    await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'connected' }));
    const sessions = service.app.get(WebSocketSessions);
    const begin = sessions.begin.bind(sessions);
    sessions.begin = (client, ...rest) => {
      const begun = begin(client, ...rest);
      client.terminate();
      return begun;
    };
    try {
      clients.push(new WebSocketClient({ url: service.url, key: customer.key }));
      await closedWith(older, 1001);
      await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'disconnected' }));
      expect(await state()).toMatchObject({ status: 'disconnected' });
    } finally {
      Reflect.deleteProperty(sessions, 'begin');
    }
  });

  it('1001: the channel was deleted', async () => {
    await register();
    const client = await connect();
    await isBound();
    await system.call(service, customer, 'DELETE', 'websocket');
    await closedWith(client, 1001);
  });

  it('1001: an unanswered ping', async () => {
    await register();
    const [client, echoing] = [await connect({ echo: false }), await system.customer()];
    await system.call(service, echoing, 'PUT', 'websocket');
    const answers = await connect({ key: echoing.key });
    for (const each of [customer, echoing]) await isBound(each);
    system.clock.jump(31_000);
    await eventually(() => expect([client.pings.length, answers.pings.length]).toEqual([1, 1]));
    expect(client.pings[0]).toHaveLength(4);
    // The answer of the other one must be in before time jumps on.
    await system.value(echoing, 1);
    await eventually(async () =>
      expect((await system.call(service, echoing, 'GET', 'websocket')).body).toMatchObject({ queue_size: 0 }),
    );
    await eventually(() => expect(received(answers)).toEqual(['1']));
    system.clock.jump(11_000);
    await closedWith(client, 1001);
    expect(answers.closed).toBeUndefined();
  });

  it('1008: a key that is none, is wrong, or is another account’s', async () => {
    await register();
    const { accountId, keyId } = customer;
    const wrong = formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) });
    const foreign = formatApiKey({ accountId: newId(), keyId, secret: customer.key.slice(-32) });
    for (const key of ['nonsense', wrong, foreign]) await closedWith(await connect({ key }), 1008);
    await closedWith(await connect({ key: undefined } as unknown as WebSocketOptions), 1008);
  });

  it('1008: a key in no group that may have a channel', async () => {
    await register();
    await system.announceKey(customer, { permissions: [] });
    await closedWith(await connect(), 1008);
  });

  it('1008: a key that may be used from other networks only', async () => {
    await register();
    const keys = service.app.get(KeyDirectory);
    const isAllowedHere = (): boolean => keys.isAllowedFrom(customer.keyId, '127.0.0.1');
    await system.announceKey(customer, { sourceAddresses: ['192.0.2.0/24'] });
    await eventually(() => !isAllowedHere());
    await closedWith(await connect(), 1008);
    await system.announceKey(customer, { sourceAddresses: ['127.0.0.0/8'] });
    await eventually(isAllowedHere);
    const client = await connect();
    await system.value(customer, 1);
    await eventually(() => expect(received(client)).toEqual(['1']));
  });

  it.each<[string, object]>([
    ['deleted key', { status: 'deleted' }],
    ['suspended key', { status: 'inactive' }],
    ['reset key', { hash: 'f'.repeat(64) }],
    ['key that left its groups', { permissions: [] }],
    ['key that may be used from other networks only', { sourceAddresses: ['192.0.2.0/24'] }],
  ])('1008 within 5 s: %s', async (_, change) => {
    await register();
    const client = await connect();
    const closing = timeUntil(() => expect(client.closed).toMatchObject({ code: 1008 }));
    await system.announceKey(customer, change);
    expect(await closing).toBeLessThan(5_000);
  });

  it('a rotated key: either secret connects during the overlap, the old one loses its socket when it is over', async () => {
    await register();
    const old = await connect();
    const renewed = system.anotherSecret(customer);
    const hash = hashSecret(customer.key.slice(-32));
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await system.announceKey(renewed, { previousHashes: [{ hash, until }] });
    // Once the new secret is known here, the old one has not lost its socket.
    const fingerprint = fingerprintOf(hashSecret(renewed.key.slice(-32)));
    const keys = service.app.get(KeyDirectory);
    await eventually(() => expect(keys.stateOf(customer.keyId)).toMatchObject({ fingerprint }));
    const knowsNew = await connect({ key: renewed.key });
    await closedWith(old, 1001);
    knowsNew.close();
    const stillOld = await connect();
    await system.value(customer, 1);
    await eventually(() => expect(received(stillOld)).toEqual(['1']));
    await system.announceKey(renewed);
    await closedWith(stillOld, 1008);
    await closedWith(await connect(), 1008);
    const client = await connect({ key: renewed.key });
    await system.value(customer, 2);
    await eventually(() => expect(received(client)).toEqual(['2']));
  });

  it('a key that was switched off and on again keeps its socket when the gateway announces both once more', async () => {
    await register();
    const startMs = Date.now();
    /** The same each time; its revision is higher than those of the test system. */
    const announce = (n: number, status: 'active' | 'inactive'): Promise<void> =>
      system.announceKey(customer, {
        status,
        revision: 1_000_000 + n,
        changedAt: new Date(startMs + n * 1_000).toISOString(),
      });
    await announce(1, 'inactive');
    await announce(2, 'active');
    const client = await connect();
    await system.value(customer, 1);
    await eventually(() => expect(received(client)).toEqual(['1']));
    await announce(1, 'inactive');
    await announce(2, 'active');
    await announce(3, 'active');
    await system.value(customer, 2);
    await eventually(() => expect(received(client)).toEqual(['1', '2']));
    expect(client.closed).toBeUndefined();
  });

  it('a secret that was rotated proves nothing when its time is over, announced or not', async () => {
    await register();
    const renewed = system.anotherSecret(customer);
    const hash = hashSecret(customer.key.slice(-32));
    const until = new Date(Date.now() - 1_000).toISOString();
    await system.announceKey(renewed, { previousHashes: [{ hash, until }] });
    const client = await connect({ key: renewed.key });
    await closedWith(await connect(), 1008);
    client.close();
  });

  it('1011: the key has no channel', async () => {
    await closedWith(await connect(), 1011);
  });

  it('1012: the service restarts; nothing is lost', async () => {
    const leaving = await system.startReplica('dispatcher-leaving');
    await register();
    const client = await connect({ url: leaving.url });
    await leaving.stop();
    await closedWith(client, 1012);
    await system.value(customer, 1);
    const again = await connect();
    await eventually(() => expect(received(again)).toEqual(['1']));
  });

  it('a client that sends more than pongs is not a reason to fall over', async () => {
    await register();
    const talker = await connect();
    talker.socket.send('x'.repeat(2_000));
    await eventually(() => expect(talker.closed).toBeDefined());
    const client = await connect();
    await system.value(customer, 1);
    await eventually(() => expect(received(client)).toEqual(['1']));
  });

  /** A handshake of the key waits for its announcement: another one is refused. */
  const isAnswering = ({ key }: Customer): Promise<unknown> =>
    eventually(async () => {
      const second = new WebSocket(`${service.url.replace('http', 'ws')}/v2/notification/websocket-connect`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const [, response] = (await once(second, 'unexpected-response')) as [unknown, IncomingMessage];
      second.on('error', () => undefined);
      const body = await text(response);
      second.terminate();
      expect([response.statusCode, response.headers['retry-after'], body]).toEqual([429, '1', 'TOO_MANY_REQUESTS']);
    });

  it('a key that may connect again does so before that is announced here', async () => {
    await register();
    await system.announceKey(customer, { status: 'inactive' });
    const keys = service.app.get(KeyDirectory);
    await eventually(() => keys.stateOf(customer.keyId)?.mayConnect === false);
    const waitAsUsual = system.waitForKeys(service);
    const client = new WebSocketClient({ url: service.url, key: customer.key });
    clients.push(client);
    await isAnswering(customer);
    await system.announceKey(customer);
    await client.opened().finally(waitAsUsual);
    await system.value(customer, 1);
    await eventually(() => expect(received(client)).toEqual(['1']));
  });

  it('429 while a handshake with the same key is not answered yet; that one continues', async () => {
    const newcomer = system.unannounced();
    const waitAsUsual = system.waitForKeys(service);
    const first = new WebSocketClient({ url: service.url, key: newcomer.key });
    clients.push(first);
    await isAnswering(newcomer);
    // One with another key is not concerned.
    await register();
    await connect();
    await system.announceKey(newcomer);
    await first.opened().finally(waitAsUsual);
    await closedWith(first, 1011);
    await system.call(service, newcomer, 'PUT', 'websocket');
    await connect({ key: newcomer.key });
  });

  it('400 for a handshake that is none', async () => {
    const upgrade = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) =>
        get(`${service.url}/v2/notification/websocket-connect`, {
          headers: { authorization: `Bearer ${customer.key}`, connection: 'Upgrade', upgrade: 'websocket', ...headers },
        })
          .once('response', (response) => resolve(response.resume().statusCode))
          .once('error', reject),
      );
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    expect(await upgrade({})).toBe(400);
    expect(await upgrade({ ...key })).toBe(400);
    expect(await upgrade({ ...key, 'sec-websocket-version': '12' })).toBe(400);
    expect(await upgrade({ 'sec-websocket-version': '13', 'sec-websocket-key': 'short' })).toBe(400);
  });

  it('an upgrade that is not offered is ignored: the request is answered as usual', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const [response] = (await once(get(`${service.url}/healthz`, { headers }), 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(200);
  });

  it('a plain GET is told what is missing', async () => {
    const url = `${service.url}/v2/notification/websocket-connect`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Bearer ${customer.key}` } })).status).toBe(426);
    expect((await system.call(service, customer, 'GET', 'websocket-connect')).status).toBe(426);
  });
});
