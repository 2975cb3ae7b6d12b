import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CoapNotification,
  CoapStreamEndpoint,
  Code,
  MessageTooLarge,
  NotConnected,
  RequestAbandoned,
  RequestTimedOut,
} from '../src/index.js';
import { Signal } from '../src/stream/signals.js';
import { STREAM_CIPHERS } from '../src/stream/tls-options.js';
import { held, until } from './bench-of-endpoints.js';
import { option, optionOf } from './raw-peer.js';
import { StreamLoopback, type StreamSubject } from './streams.js';

const net = new StreamLoopback();
afterEach(() => net.close());

const GET = { method: Code.GET, path: ['3', '0'] };

/** A server and a device that is connected to it, each knowing the other as a peer. */
const connected = async (server: StreamSubject, device: StreamSubject) => {
  const toServer = await device.endpoint.connect({ host: '127.0.0.1', port: server.port });
  await device.endpoint.request(toServer, { method: Code.POST, path: ['rd'] });
  return { toServer, toDevice: server.asked.at(-1)!.peer };
};

describe('one connection, requests both ways', () => {
  it('the server asks over the connection that the device opened, one request at a time', async () => {
    const server = await net.endpoint();
    let running = 0;
    let most = 0;
    const device = await net.endpoint({
      onRequest: async () => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { code: Code.Content, payload: Buffer.from('21.5'), contentFormat: 0 };
      },
    });
    const { toDevice } = await connected(server, device);
    const answers = await Promise.all([1, 2, 3].map(() => server.endpoint.request(toDevice, GET)));
    expect(answers.map(({ payload }) => payload.toString())).toEqual(['21.5', '21.5', '21.5']);
    expect(most).toBe(1);
    expect(toDevice.key).toMatch(/^127\.0\.0\.1:\d+#[0-9a-f]+$/);
  });

  it.each([
    ['a code that is none', { code: 1 }],
    ['an ETag of nine bytes', { code: Code.Content, etag: Buffer.alloc(9) }],
    ['a payload that is no Buffer', { code: Code.Content, payload: { length: 5 } as unknown as Buffer }],
  ])('5.00 when a handler gives %s, and the connection stays', async (_name, response) => {
    const server = await net.endpoint({ onRequest: async () => response });
    const device = await net.endpoint();
    const toServer = await device.endpoint.connect({ host: '127.0.0.1', port: server.port });
    for (let asked = 0; asked < 2; asked += 1)
      expect((await device.endpoint.request(toServer, GET)).code).toBe(Code.InternalServerError);
    expect(server.endpoint.gauges().requestHandlersRunning).toBe(0);
  });

  it('1 MiB travels in one message where the peer takes it', async () => {
    const server = await net.endpoint({ onRequest: async ({ payload }) => ({ code: Code.Content, payload }) });
    const device = await net.endpoint();
    const toServer = await device.endpoint.connect({ host: '127.0.0.1', port: server.port });
    const payload = Buffer.alloc(1_048_576, 'x');
    const answer = await device.endpoint.request(toServer, { method: Code.PUT, path: ['5'], payload });
    expect(answer.payload.equals(payload)).toBe(true);
    expect(server.endpoint.counters()['message-received']).toBe(2);
  });

  it.each([
    ['several blocks at once', 5_000],
    ['single blocks', 1_152],
    ['small blocks', 300],
  ])('a peer whose messages are limited gets %s', async (_name, bytes) => {
    const body = Buffer.from(Array.from({ length: 20_000 }, (_, i) => i & 0xff));
    const server = await net.endpoint({ onRequest: async () => ({ code: Code.Content, payload: body }) });
    const raw = await net.ready(server.port, bytes);
    const parts: Buffer[] = [];
    let block = Buffer.alloc(0);
    for (;;) {
      const answer = await raw.ask({
        code: Code.GET,
        token: Buffer.from('t'),
        options: [option(11, 'a'), ...(parts.length > 0 ? [{ number: 23, value: block }] : [])],
      });
      parts.push(answer!.payload);
      const bits = optionOf({ ...answer!, type: 'CON', messageId: 0 }, 23)!.at(-1)! & 0x0f;
      expect(answer!.payload.length).toBeLessThanOrEqual(bytes);
      if ((bits & 8) === 0) break;
      const szx = bits & 7;
      const next = Buffer.concat(parts).length / (16 << Math.min(szx, 6));
      block = Buffer.alloc(3);
      block.writeUIntBE(next * 16 + szx, 0, 3);
    }
    expect(Buffer.concat(parts).equals(body)).toBe(true);
  });

  it('a body larger than the peer takes goes up in blocks, several at once', async () => {
    const server = await net.endpoint({ limits: { bodyBytesMax: 3_000_000 } });
    const device = await net.endpoint({
      limits: { bodyBytesMax: 100_000 },
      onRequest: async ({ payload }) => ({ code: payload.length === 90_000 ? Code.Changed : Code.BadRequest }),
    });
    const { toDevice } = await connected(server, device);
    const write = (bytes: number) =>
      server.endpoint.request(toDevice, { method: Code.PUT, path: ['5'], payload: Buffer.alloc(bytes) });
    expect((await write(90_000)).code).toBe(Code.Changed);
    expect((await write(900_000)).code).toBe(Code.RequestEntityTooLarge);
  });

  it('a body too large for a peer that takes no blocks is not sent at all', async () => {
    const { port, endpoint, asked } = await net.endpoint();
    const raw = await net.raw(port);
    await raw.next();
    raw.send({ code: Signal.Csm });
    await raw.ask({ code: Code.GET, token: Buffer.from('t') });
    const write = (bytes: number) =>
      endpoint.request(asked[0]!.peer, { method: Code.PUT, path: ['5'], payload: Buffer.alloc(bytes) });
    await expect(write(2_000)).rejects.toThrow(MessageTooLarge);
    const small = write(1_000);
    const { token, payload } = (await raw.next())!;
    expect(payload).toHaveLength(1_000);
    raw.send({ code: Code.Changed, token });
    expect((await small).code).toBe(Code.Changed);
  });

  it('no answer: the request fails, and the connection is dropped unless it shows life', async () => {
    const server = await net.endpoint();
    const device = await net.endpoint({ onRequest: () => new Promise(() => undefined) });
    const { toDevice } = await connected(server, device);
    const request = server.endpoint.request(toDevice, { ...GET, timeoutMs: 5_000 });
    const failure = request.catch((error: unknown) => error);
    await until(() => device.asked.length === 1);
    server.clock.advance(5_200);
    expect(await failure).toBeInstanceOf(RequestTimedOut);
    await until(() => server.endpoint.counters()['message-received'] === 3);
    server.clock.advance(31_000);
    expect(server.endpoint.isConnected(toDevice)).toBe(true);
  });

  it('what is given up while it waits for its turn is not sent', async () => {
    const server = await net.endpoint();
    const answered = held();
    const device = await net.endpoint({ onRequest: () => answered.promise.then(() => ({ code: Code.Changed })) });
    const { toDevice } = await connected(server, device);
    const giveUp = new AbortController();
    const first = server.endpoint.request(toDevice, GET);
    const second = server.endpoint.request(toDevice, { ...GET, path: ['second'], signal: giveUp.signal });
    const failure = second.catch((error: unknown) => error);
    const third = server.endpoint.request(toDevice, { ...GET, path: ['third'] });
    await until(() => device.asked.length === 1);
    giveUp.abort();
    answered.resolve();
    expect(await failure).toBeInstanceOf(RequestAbandoned);
    await Promise.all([first, third]);
    expect(device.asked.map(({ path }) => path)).toEqual([GET.path, ['third']]);
  });

  it('what waits fails when the connection ends, and no later connection is mistaken for that peer', async () => {
    const server = await net.endpoint();
    const device = await net.endpoint({ onRequest: () => new Promise(() => undefined) });
    const { toDevice, toServer } = await connected(server, device);
    const waiting = [server.endpoint.request(toDevice, GET), server.endpoint.request(toDevice, GET)];
    const failures = waiting.map((one) => one.catch((error: unknown) => error));
    await until(() => device.asked.length === 1);
    device.endpoint.disconnect(toServer, 'bye');
    for (const failure of failures) expect(await failure).toBeInstanceOf(NotConnected);
    await expect(server.endpoint.request(toDevice, GET)).rejects.toThrow(NotConnected);
    expect(server.endpoint.gauges()).toMatchObject({ openConnections: 0, requestsOutstanding: 0, requestsQueued: 0 });
  });
});

describe('observations over a connection', () => {
  const observed = async (handler: (notification: CoapNotification) => Promise<void>) => {
    const server = await net.endpoint({ limits: { notificationRetriesMax: 1, notificationRetryMs: 100 } });
    const device = await net.endpoint({
      onRequest: async ({ observe }) => ({
        code: Code.Content,
        payload: Buffer.from('0'),
        ...(observe === 0 && { observe: 1 }),
      }),
    });
    const { toDevice, toServer } = await connected(server, device);
    const observation = await server.endpoint.observe(toDevice, GET, handler);
    const say = (value: string): void =>
      device.endpoint.notify(toServer, { token: observation.token, observeNumber: 1, payload: Buffer.from(value) });
    return { server, device, toDevice, observation, say };
  };

  it('values come in order whatever their numbers, one after the other, until the observation is cancelled', async () => {
    const heard: string[] = [];
    let allCame = (): boolean => false;
    const { server, toDevice, observation, say } = await observed(async ({ payload }) => {
      if (payload.toString() === 'a') await until(() => allCame());
      heard.push(payload.toString());
    });
    expect(observation.observing).toBe(true);
    const received = (): number => server.endpoint.counters()['message-received'];
    const before = received();
    allCame = () => received() === before + 3;
    say('a');
    say('b');
    say('c');
    await until(() => heard.length === 3);
    expect(heard).toEqual(['a', 'b', 'c']);
    await server.endpoint.cancelObservation(toDevice, observation.token, GET);
    say('d');
    await until(() => server.endpoint.counters()['response-unmatched'] === 1);
    expect(heard).toHaveLength(3);
  });

  it('a value that cannot be taken at first is tried again; one that never can ends the connection', async () => {
    const heard: string[] = [];
    let failures = 1;
    const { server, toDevice, say } = await observed(async ({ payload }) => {
      if (failures-- > 0) throw new Error('not now');
      heard.push(payload.toString());
    });
    say('a');
    say('b');
    await until(() => failures === 0);
    server.clock.advance(300);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['a', 'b']);
    failures = 2;
    say('c');
    await until(() => failures === 1);
    server.clock.advance(300);
    await until(() => !server.endpoint.isConnected(toDevice));
  });

  it('the blocks of a large value come while a request has no answer', async () => {
    const server = await net.endpoint();
    const device = await net.ready(server.port);
    await device.ask({ code: Code.POST, options: [option(11, 'rd')] });
    const toDevice = server.asked.at(-1)!.peer;
    const heard: string[] = [];
    const observing = server.endpoint.observe(toDevice, GET, async ({ payload }) => {
      heard.push(payload.toString());
    });
    const { token } = (await device.next())!;
    device.send({ code: Code.Content, token, options: [option(6, [1])] });
    await observing;
    const asking = server.endpoint.request(toDevice, { method: Code.POST, path: ['5', '0', '2'] });
    const command = (await device.next())!;
    const [first, second] = ['a'.repeat(16), 'b'];
    device.send({ code: Code.Content, token, options: [option(6, [2]), option(23, [8])], payload: Buffer.from(first) });
    const wanted = (await device.next())!;
    expect([wanted.code, optionOf({ ...wanted, type: 'CON', messageId: 0 }, 23)]).toEqual([
      Code.GET,
      Buffer.from([16]),
    ]);
    const last = { options: [option(23, [16])], payload: Buffer.from(second) };
    device.send({ code: Code.Content, token: wanted.token, ...last });
    await until(() => heard.length === 1);
    expect(heard).toEqual([first + second]);
    device.send({ code: Code.Changed, token: command.token });
    expect((await asking).code).toBe(Code.Changed);
  });

  it('a notification with an unknown critical option is dropped, and those after it are not', async () => {
    const server = await net.endpoint();
    const device = await net.ready(server.port);
    await device.ask({ code: Code.POST, options: [option(11, 'rd')] });
    const toDevice = server.asked.at(-1)!.peer;
    const heard: string[] = [];
    const observing = server.endpoint.observe(toDevice, GET, async ({ payload }) => {
      heard.push(payload.toString());
    });
    const { token } = (await device.next())!;
    const observe = (number: number) => option(6, [number]);
    device.send({ code: Code.Content, token, options: [observe(1)] });
    await observing;
    device.send({ code: Code.Content, token, options: [observe(2), option(9, 'x')], payload: Buffer.from('a') });
    device.send({ code: Code.Content, token, options: [observe(3)], payload: Buffer.from('b') });
    await until(() => heard.length > 0);
    expect(heard).toEqual(['b']);
    expect(server.endpoint.counters()).toMatchObject({ 'response-rejected-option': 1, 'response-unmatched': 0 });
  });

  it('observations die with the connection', async () => {
    const { server, device } = await observed(async () => undefined);
    expect(server.endpoint.gauges().observations).toBe(1);
    await device.endpoint.close();
    await until(() => server.endpoint.gauges().observations === 0);
  });
});

describe('closing', () => {
  it('lets what is in flight finish, says Release, and takes nothing new', async () => {
    const gate = held<void>();
    const server = new CoapStreamEndpoint({
      host: '127.0.0.1',
      onRequest: () => gate.promise.then(() => ({ code: Code.Content })),
    });
    const { port } = await server.listen();
    const device = await net.endpoint();
    const peer = await device.endpoint.connect({ host: '127.0.0.1', port });
    const answer = device.endpoint.request(peer, GET);
    await until(() => server.gauges().requestHandlersRunning === 1);
    const closed = server.close();
    gate.resolve();
    expect((await answer).code).toBe(Code.Content);
    await closed;
    await expect(device.endpoint.connect({ host: '127.0.0.1', port })).rejects.toThrow();
  });
});

describe('TLS with pre-shared keys', () => {
  const key = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  const psk = (identity: string, secret: Buffer, more: ConnectionOptions = {}): ConnectionOptions => ({
    pskCallback: () => ({ psk: secret, identity }),
    ciphers: STREAM_CIPHERS,
    checkServerIdentity: () => undefined,
    maxVersion: 'TLSv1.2',
    ...more,
  });

  const server = async () => {
    const failed: string[] = [];
    const identities = new WeakMap<object, string>();
    const known: (string | undefined)[] = [];
    const subject = await net.endpoint({
      security: {
        keyOf: (identity, socket) => {
          identities.set(socket, identity);
          return identity === 'thermo' ? key : undefined;
        },
      },
      onConnection: (_peer, socket) => known.push(identities.get(socket)) > 0,
      onHandshakeFailed: (_error, socket) => failed.push(identities.get(socket) ?? ''),
    });
    return { ...subject, failed, known };
  };

  it.each(['PSK-AES128-CCM8', 'PSK-AES128-CBC-SHA256', 'PSK-AES128-GCM-SHA256'])(
    '%s, identity known',
    async (suite) => {
      const { port, known } = await server();
      const device = await net.endpoint();
      const tls = psk('thermo', key, { ciphers: `${suite}:@SECLEVEL=0` });
      const peer = await device.endpoint.connect({ host: '127.0.0.1', port, tls });
      expect((await device.endpoint.request(peer, GET)).code).toBe(Code.Changed);
      expect(known).toEqual(['thermo']);
    },
  );

  it.each<[string, ConnectionOptions]>([
    ['an unknown identity', psk('unknown', key)],
    ['a wrong key', psk('thermo', Buffer.alloc(16))],
    ['TLS 1.3 only', psk('thermo', key, { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' })],
    ['a cipher without authentication', psk('thermo', key, { ciphers: 'aNULL:@SECLEVEL=0' })],
    ['another protocol', psk('thermo', key, { ALPNProtocols: ['h2'] })],
  ])('%s: no connection', async (_name, tls) => {
    const { port, endpoint, asked } = await server();
    const device = await net.endpoint();
    await expect(device.endpoint.connect({ host: '127.0.0.1', port, tls })).rejects.toThrow();
    await until(() => endpoint.counters()['handshake-failed'] === 1 && endpoint.gauges().connections === 0);
    expect(asked).toEqual([]);
  });

  it('a client that never finishes its handshake is dropped, and one that speaks plain CoAP too', async () => {
    const failing = await net.endpoint({
      security: { keyOf: () => key },
      limits: { handshakeTimeoutMs: 300 },
    });
    const silent = await net.raw(failing.port);
    expect(await silent.rest()).toEqual([]);
    const plain = await net.raw(failing.port);
    plain.send({ code: 0xe1 });
    await plain.rest().catch(() => undefined);
    await until(() => failing.endpoint.gauges().connections === 0);
    expect(failing.endpoint.counters()['connection-opened']).toBe(0);
  });

  it('an application that throws costs the connection and nothing else', async () => {
    const errors: string[] = [];
    const fail = (what: string) => () => {
      throw new Error(what);
    };
    const subject = await net.endpoint({
      security: { keyOf: (identity) => (identity === 'known' ? key : fail('key')()) },
      onConnection: fail('connection'),
      onHandshakeFailed: fail('handshake'),
      onHandlerError: (error) => errors.push((error as Error).message),
    });
    const device = await net.endpoint();
    for (const identity of ['unknown', 'known']) {
      const tls = psk(identity, key);
      await expect(device.endpoint.connect({ host: '127.0.0.1', port: subject.port, tls })).rejects.toThrow();
    }
    await until(() => subject.endpoint.gauges().connections === 0);
    expect(errors).toEqual(['key', 'handshake', 'connection']);
  });

  it('cannot be renegotiated', async () => {
    const { port } = await server();
    const socket = connectTls({ host: '127.0.0.1', port, ...psk('thermo', key) });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const problem = await new Promise((resolve) => {
      socket.once('error', resolve);
      socket.renegotiate({}, resolve);
    });
    expect(String(problem)).toMatch(/renegotiation/);
    socket.destroy();
  });
});
