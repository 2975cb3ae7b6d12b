import { afterEach, describe, expect, it } from '@jest/globals';
import { CoapUdpEndpoint, Code, EndpointClosed, QueueFull } from '../src/index.js';
import { held, Loopback, peerAt, until } from './bench-of-endpoints.js';

const net = new Loopback();
afterEach(() => net.close());

const get = { method: Code.GET, path: ['3', '0'] };

describe('two endpoints', () => {
  it('exchange a request and its answer, in both directions over the same sockets', async () => {
    let sent = 0;
    const server = await net.endpoint({
      onRequest: async () => ({
        code: Code.Created,
        locationPath: ['rd', 'x1'],
        maxAgeSeconds: 5,
        onSent: () => sent++,
      }),
    });
    const device = await net.endpoint({
      onRequest: async () => ({
        code: Code.Content,
        payload: Buffer.from('ok'),
        contentFormat: 0,
        etag: Buffer.from('v'),
      }),
    });
    const registered = await device.endpoint.request(peerAt(device, server.port), {
      method: Code.POST,
      path: ['rd'],
      query: ['ep=a', 'lt=60'],
      payload: Buffer.from('</3/0>'),
      contentFormat: 40,
      accept: 0,
    });
    expect(registered).toEqual({
      code: Code.Created,
      locationPath: ['rd', 'x1'],
      maxAgeSeconds: 5,
      payload: Buffer.alloc(0),
    });
    expect(sent).toBe(1);
    const { peer, token, ...asked } = server.asked[0]!;
    expect(asked).toEqual({
      method: Code.POST,
      path: ['rd'],
      query: ['ep=a', 'lt=60'],
      payload: Buffer.from('</3/0>'),
      contentFormat: 40,
      accept: 0,
      etags: [],
      confirmable: true,
    });
    expect([peer.port, token.length]).toEqual([device.port, 8]);
    const read = await server.endpoint.request(peer, get);
    expect(read).toEqual({ code: Code.Content, payload: Buffer.from('ok'), contentFormat: 0, etag: Buffer.from('v') });
    expect(device.asked[0]!.peer.port).toBe(server.port);
  });

  it('exchange non-confirmable messages', async () => {
    const server = await net.endpoint();
    const device = await net.endpoint();
    const answer = await device.endpoint.request(peerAt(device, server.port), { ...get, confirmable: false });
    expect([answer.code, server.asked[0]!.confirmable]).toEqual([Code.Changed, false]);
  });

  it('talk over IPv6, and with IPv4 peers of an IPv6 socket', async () => {
    const server = await net.endpoint({ host: '::' });
    const six = await net.endpoint({ host: '::1' });
    const four = await net.endpoint();
    expect((await six.endpoint.request(six.endpoint.peer('::1', server.port), get)).code).toBe(Code.Changed);
    expect((await four.endpoint.request(peerAt(four, server.port), get)).code).toBe(Code.Changed);
    expect((await server.endpoint.request(peerAt(server, four.port), get)).code).toBe(Code.Changed);
    expect(server.asked[1]!.peer).toEqual(peerAt(server, four.port));
  });

  it('ask a peer one thing at a time, in order, and refuse more than can wait', async () => {
    const gate = held();
    const server = await net.endpoint({
      onRequest: async () => {
        await gate.promise;
        return { code: Code.Changed };
      },
    });
    const device = await net.endpoint({ limits: { queuedPerPeerMax: 2 } });
    const peer = peerAt(device, server.port);
    const ask = (name: string) => device.endpoint.request(peer, { method: Code.GET, path: [name] });
    const answers = ['a', 'b', 'c'].map(ask);
    await expect(ask('d')).rejects.toThrow(QueueFull);
    await until(() => server.asked.length === 1);
    expect(device.endpoint.gauges()).toMatchObject({ requestsOutstanding: 1, requestsQueued: 2 });
    gate.resolve();
    await Promise.all(answers);
    expect(server.asked.map(({ path }) => path[0])).toEqual(['a', 'b', 'c']);
  });

  it('answer 5.00 without text when a handler fails', async () => {
    const errors: unknown[] = [];
    const server = await net.endpoint({
      onRequest: async () => {
        throw new Error('secret');
      },
      onHandlerError: (error) => errors.push(error),
    });
    const device = await net.endpoint();
    const answer = await device.endpoint.request(peerAt(device, server.port), get);
    expect(answer).toEqual({ code: Code.InternalServerError, payload: Buffer.alloc(0) });
    expect(errors).toHaveLength(1);
  });

  it.each([
    ['a code that is none', { code: 1 }],
    ['an ETag of nine bytes', { code: Code.Content, etag: Buffer.alloc(9) }],
    ['a large payload that is no Buffer', { code: Code.Content, payload: { length: 5_000 } as unknown as Buffer }],
  ])('answer 5.00 when a handler gives %s', async (_name, response) => {
    const server = await net.endpoint({ onRequest: async () => response });
    const device = await net.endpoint();
    expect((await device.endpoint.request(peerAt(device, server.port), get)).code).toBe(Code.InternalServerError);
  });

  it('survive a failing onSent and a failing error hook', async () => {
    const server = await net.endpoint({
      onRequest: async () => ({
        code: Code.Changed,
        onSent: () => {
          throw new Error('mine');
        },
      }),
      onHandlerError: () => {
        throw new Error('worse');
      },
    });
    const device = await net.endpoint();
    expect((await device.endpoint.request(peerAt(device, server.port), get)).code).toBe(Code.Changed);
    await until(() => server.endpoint.counters()['handler-error'] === 2);
  });
});

describe('close', () => {
  it('finishes what is in flight, takes nothing new, and rejects what has not begun', async () => {
    const gate = held();
    const server = await net.endpoint({
      limits: { closeTimeoutMs: 5_000 },
      onRequest: () => gate.promise.then(() => ({ code: Code.Changed })),
    });
    const raw = await net.raw(server.port);
    const peer = peerAt(server, raw.port);
    raw.send({ code: Code.GET, messageId: 7 });
    await until(() => server.asked.length === 1);
    const running = server.endpoint.request(peer, get);
    const { messageId, token } = await raw.next();
    const queued = server.endpoint.request(peer, get);
    queued.catch(() => undefined);
    const closing = server.endpoint.close();
    await expect(queued).rejects.toThrow(EndpointClosed);
    await expect(server.endpoint.request(peer, get)).rejects.toThrow(EndpointClosed);
    await expect(server.endpoint.notify(peer, { token, payload: token, confirmable: true })).rejects.toThrow(
      EndpointClosed,
    );
    raw.send({ code: Code.GET, messageId: 8 });
    raw.send({ code: Code.Content, messageId: 9, token: Buffer.from('unknown') });
    await raw.heardNothing();
    expect(server.endpoint.counters()['datagram-while-closing']).toBe(2);
    raw.send({ type: 'ACK', code: Code.Valid, messageId, token });
    expect((await running).code).toBe(Code.Valid);
    gate.resolve();
    expect(await raw.next()).toMatchObject({ type: 'ACK', messageId: 7, code: Code.Changed });
    server.clock.advance(100);
    await closing;
    await server.endpoint.close();
  });

  it('gives up after its bound', async () => {
    const server = await net.endpoint({
      limits: { closeTimeoutMs: 1_000 },
      onRequest: () => new Promise(() => undefined),
    });
    const raw = await net.raw(server.port);
    raw.send({ code: Code.GET, messageId: 7 });
    await until(() => server.asked.length === 1);
    const stuck = server.endpoint.request(peerAt(server, raw.port), get);
    stuck.catch(() => undefined);
    let closed = false;
    const closing = server.endpoint.close().then(() => (closed = true));
    for (let step = 0; step < 9; step += 1) {
      server.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(closed).toBe(false);
    server.clock.advance(100);
    await closing;
    await expect(stuck).rejects.toThrow(EndpointClosed);
    expect(server.clock.ticking).toBe(false);
  });

  it('is possible before listen, and a taken port is an error of listen', async () => {
    const { port } = await net.endpoint();
    const options = { host: '127.0.0.1', port, onRequest: async () => ({ code: Code.Changed }) };
    await expect(new CoapUdpEndpoint(options).listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new CoapUdpEndpoint(options).close();
  });
});
