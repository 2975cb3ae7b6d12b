import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CoapUdpEndpoint,
  Code,
  EndpointClosed,
  PeerForgotten,
  PeerReset,
  QueueFull,
  RequestTimedOut,
  UnencodableMessage,
  UnusableResponse,
} from '../src/index.js';
import { held, Loopback, peerAt, until } from './bench-of-endpoints.js';
import { option, optionOf, uriPath } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

const get = { method: Code.GET, path: ['3', '0'] };

describe('two endpoints', () => {
  it('exchange a request and its answer, in both directions over the same sockets', async () => {
    const sent = jest.fn();
    const server = await net.endpoint({
      onRequest: async () => ({ code: Code.Created, locationPath: ['rd', 'x1'], maxAgeSeconds: 5, onSent: sent }),
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
    expect(sent).toHaveBeenCalledTimes(1);
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

describe('an endpoint that asks a bare socket', () => {
  const asking = async (request = {}) => {
    const device = await net.endpoint();
    const raw = await net.raw(device.port);
    const peer = peerAt(device, raw.port);
    const answer = device.endpoint.request(peer, { ...get, ...request });
    answer.catch(() => undefined);
    return { ...device, raw, peer, answer, first: await raw.next() };
  };

  it('retransmits after 2, 4, 8 and 16 s, the same bytes, and gives up after 62 s', async () => {
    const { clock, raw, answer, first, endpoint } = await asking();
    for (const waitMs of [2_000, 4_000, 8_000, 16_000]) {
      clock.advance(waitMs - 100);
      await raw.heardNothing();
      clock.advance(100);
      expect(await raw.next()).toEqual(first);
    }
    clock.advance(32_000);
    await expect(answer).rejects.toMatchObject({ name: 'RequestTimedOut', acknowledged: false });
    await raw.heardNothing();
    expect(endpoint.counters()).toMatchObject({ retransmission: 4, 'request-timed-out': 1 });
    expect(endpoint.gauges()).toMatchObject({ requestsOutstanding: 0 });
  });

  it('uses the timeouts of the request', async () => {
    const { clock, raw, answer, first } = await asking({ ackTimeoutMs: 8_000, maxRetransmit: 1 });
    clock.advance(7_900);
    await raw.heardNothing();
    clock.advance(100);
    expect(await raw.next()).toEqual(first);
    clock.advance(16_000);
    await expect(answer).rejects.toThrow(RequestTimedOut);
  });

  it('stops retransmitting when acknowledged, acknowledges the separate response and its duplicates', async () => {
    const { clock, raw, answer, first, endpoint } = await asking();
    raw.send({ type: 'ACK', messageId: first.messageId });
    await until(() => endpoint.counters()['datagram-received'] === 1);
    clock.advance(60_000);
    await raw.heardNothing();
    const response = { code: Code.Content, messageId: 900, token: first.token, payload: Buffer.from('late') };
    expect(await raw.ask(response)).toMatchObject({ type: 'ACK', code: 0, messageId: 900 });
    expect((await answer).payload.toString()).toBe('late');
    expect(await raw.ask(response)).toMatchObject({ type: 'ACK', messageId: 900 });
    expect(endpoint.counters()['response-duplicate']).toBe(1);
  });

  it('takes a separate response although the acknowledgement was lost', async () => {
    const { clock, raw, answer, first } = await asking();
    raw.send({ type: 'NON', code: Code.Content, messageId: 901, token: first.token });
    expect((await answer).code).toBe(Code.Content);
    clock.advance(10_000);
    await raw.heardNothing();
  });

  it('gives up when the separate response does not come', async () => {
    const { clock, raw, answer, first, endpoint } = await asking({ timeoutMs: 5_000 });
    raw.send({ type: 'ACK', messageId: first.messageId });
    await until(() => endpoint.counters()['datagram-received'] === 1);
    clock.advance(5_100);
    await expect(answer).rejects.toMatchObject({ name: 'RequestTimedOut', acknowledged: true });
    const late = await raw.ask({ code: Code.Content, messageId: 902, token: first.token });
    expect(late).toMatchObject({ type: 'RST', messageId: 902 });
  });

  it('gives up on a non-confirmable request without sending it again', async () => {
    const { clock, raw, answer, first } = await asking({ confirmable: false, timeoutMs: 1_000 });
    expect(first.type).toBe('NON');
    clock.advance(1_100);
    await expect(answer).rejects.toThrow(RequestTimedOut);
    await raw.heardNothing();
  });

  it.each([true, false])('fails when the request is reset (confirmable: %s)', async (confirmable) => {
    const { raw, answer, first } = await asking({ confirmable });
    raw.send({ type: 'RST', messageId: first.messageId });
    await expect(answer).rejects.toThrow(PeerReset);
  });

  it('believes neither an acknowledgement of another message nor a response with another token', async () => {
    const { raw, answer, first, endpoint } = await asking();
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId + 1, token: first.token });
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: Buffer.from('guessed!') });
    raw.send({ type: 'ACK', messageId: first.messageId + 1 });
    raw.send({ type: 'RST', messageId: first.messageId + 1 });
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    expect((await answer).code).toBe(Code.Changed);
    expect(endpoint.counters()).toMatchObject({ 'acknowledgement-unmatched': 3, 'response-mismatched': 1 });
  });

  it('believes nobody else, whatever token and message id they know', async () => {
    const { raw, answer, first, endpoint, port } = await asking();
    const spoofer = await net.raw(port);
    spoofer.send({ type: 'RST', messageId: first.messageId });
    spoofer.send({ type: 'ACK', messageId: first.messageId });
    spoofer.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: first.token });
    const separate = await spoofer.ask({ code: Code.Content, messageId: 77, token: first.token });
    expect(separate).toMatchObject({ type: 'RST', messageId: 77 });
    expect(endpoint.gauges().requestsOutstanding).toBe(1);
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    expect((await answer).code).toBe(Code.Changed);
  });

  it('does not use a response with an unknown critical option', async () => {
    const { raw, answer, first } = await asking();
    const options = [option(65_001, 'x')];
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: first.token, options });
    await expect(answer).rejects.toThrow(UnusableResponse);
  });

  it('resets a separate response with an unknown critical option', async () => {
    const { raw, answer, first } = await asking();
    const reply = await raw.ask({ code: Code.Content, messageId: 5, token: first.token, options: [option(9, '')] });
    expect(reply).toMatchObject({ type: 'RST', messageId: 5 });
    await expect(answer).rejects.toThrow(UnusableResponse);
  });

  it('rejects what waits when the peer is forgotten', async () => {
    const { endpoint, peer, answer, clock, raw } = await asking();
    const second = endpoint.request(peer, get);
    second.catch(() => undefined);
    endpoint.forgetPeer(peer);
    await expect(answer).rejects.toThrow(PeerForgotten);
    await expect(second).rejects.toThrow(PeerForgotten);
    clock.advance(2_000);
    await raw.heardNothing();
    expect(endpoint.gauges()).toMatchObject({ peers: 0, requestsOutstanding: 0, requestsQueued: 0 });
  });

  it('rejects what cannot be encoded and goes on', async () => {
    const { endpoint, peer, raw, answer, first } = await asking();
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    await answer;
    await expect(endpoint.request(peer, { ...get, method: 300 })).rejects.toThrow(UnencodableMessage);
    const next = endpoint.request(peer, get);
    const { messageId, token } = await raw.next();
    raw.send({ type: 'ACK', code: Code.Valid, messageId, token });
    expect((await next).code).toBe(Code.Valid);
  });
});

describe('an endpoint asked by a bare socket', () => {
  const ask = { code: Code.GET, messageId: 7, token: Buffer.from('tok'), options: uriPath('3') };

  it('answers a duplicate with the same bytes without asking the handler again', async () => {
    let answers = 0;
    const server = await net.endpoint({
      onRequest: async () => ({ code: Code.Content, payload: Buffer.from(`answer ${(answers += 1)}`) }),
    });
    const raw = await net.raw(server.port);
    const first = await raw.ask(ask);
    expect(first).toMatchObject({ type: 'ACK', code: Code.Content, messageId: 7, token: Buffer.from('tok') });
    expect(await raw.ask(ask)).toEqual(first);
    server.endpoint.keepPeer(peerAt(server, raw.port));
    expect(await raw.ask(ask)).toEqual(first);
    for (let messageId = 8; messageId < 16; messageId += 1) await raw.ask({ ...ask, messageId });
    expect(await raw.ask({ ...ask, messageId: 8 })).toMatchObject({ payload: Buffer.from('answer 2') });
    expect(answers).toBe(9);
  });

  it('takes the same message id with another token, or after its lifetime, as new', async () => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    await raw.ask(ask);
    await raw.ask({ ...ask, token: Buffer.from('new') });
    server.clock.advance(247_100);
    await raw.ask({ ...ask, token: Buffer.from('new') });
    expect(server.asked).toHaveLength(3);
  });

  it('swallows duplicates while the handler runs, then acknowledges, then answers in a message of its own', async () => {
    const gate = held();
    const server = await net.endpoint({
      onRequest: async () => {
        await gate.promise;
        return { code: Code.Changed };
      },
    });
    const raw = await net.raw(server.port);
    raw.send(ask);
    await until(() => server.asked.length === 1);
    raw.send(ask);
    server.clock.advance(1_400);
    await raw.heardNothing();
    server.clock.advance(100);
    expect(await raw.next()).toMatchObject({ type: 'ACK', code: 0, messageId: 7 });
    expect(await raw.ask(ask)).toMatchObject({ type: 'ACK', code: 0, messageId: 7 });
    gate.resolve();
    const separate = await raw.next();
    expect(separate).toMatchObject({ type: 'CON', code: Code.Changed, token: ask.token });
    server.clock.advance(2_000);
    expect(await raw.next()).toEqual(separate);
    raw.send({ type: 'ACK', messageId: separate.messageId });
    expect(await raw.ask(ask)).toMatchObject({ type: 'ACK', code: 0, messageId: 7 });
    server.clock.advance(10_000);
    await raw.heardNothing();
    expect([server.asked.length, server.endpoint.gauges().requestHandlersRunning]).toEqual([1, 0]);
  });

  it('gives up on a separate answer that nobody acknowledges', async () => {
    const gate = held();
    const server = await net.endpoint({ onRequest: () => gate.promise.then(() => ({ code: Code.Changed })) });
    const raw = await net.raw(server.port);
    raw.send(ask);
    await until(() => server.asked.length === 1);
    server.clock.advance(1_500);
    gate.resolve();
    await raw.next();
    await raw.next();
    server.clock.advance(62_000);
    expect(server.endpoint.counters()['answer-unacknowledged']).toBe(1);
  });

  it('drops a duplicate of a non-confirmable request', async () => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    expect(await raw.ask({ ...ask, type: 'NON' })).toMatchObject({ type: 'NON', code: Code.Changed, token: ask.token });
    raw.send({ ...ask, type: 'NON' });
    await raw.heardNothing();
    expect(server.asked).toHaveLength(1);
  });

  it('answers a ping with a Reset and asks nobody', async () => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    expect(await raw.ask({ messageId: 321 })).toMatchObject({ type: 'RST', code: 0, messageId: 321 });
    await raw.heardNothing();
    expect(server.asked).toHaveLength(0);
  });

  it.each([
    ['an unknown critical option', [option(65_001, 'x')], Code.BadOption],
    ['If-Match', [option(1, 'x')], Code.BadOption],
    ['Proxy-Uri', [option(35, 'coap://x')], Code.ProxyingNotSupported],
    ['a reserved block size', [option(27, [0x07])], Code.BadRequest],
  ])('refuses %s', async (_name, options, code) => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    expect(await raw.ask({ ...ask, options })).toMatchObject({ type: 'ACK', code });
    expect(server.asked).toHaveLength(0);
  });

  it('resets a non-confirmable request with an unknown critical option, and ignores elective ones', async () => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    expect(await raw.ask({ ...ask, type: 'NON', options: [option(65_001, 'x')] })).toMatchObject({ type: 'RST' });
    expect(await raw.ask({ ...ask, messageId: 9, options: [option(65_000, 'x')] })).toMatchObject({
      code: Code.Changed,
    });
  });

  it.each([
    ['confirmable, cut token', '48010a0b0102', 0x0a0b],
    ['confirmable, payload marker at the end', '40010a0cff', 0x0a0c],
    ['confirmable, reserved code class', '40200a0d', 0x0a0d],
    ['confirmable, option beyond the end', '40010a0eb561', 0x0a0e],
  ])('resets a malformed message: %s', async (_name, bytes, messageId) => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    expect(await raw.ask(Buffer.from(bytes, 'hex'))).toMatchObject({ type: 'RST', code: 0, messageId });
    expect(server.endpoint.counters()['datagram-malformed']).toBe(1);
  });

  it.each([
    ['no bytes', ''],
    ['three bytes', '400100'],
    ['another version', '80010001'],
    ['non-confirmable, option beyond the end', '50010a0eb561'],
    ['an acknowledgement with a request', '60010001'],
    ['a Reset with content', '70450001'],
  ])('keeps silent about %s', async (_name, bytes) => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    raw.send(Buffer.from(bytes, 'hex'));
    await raw.heardNothing();
    expect(server.endpoint.counters()['datagram-malformed']).toBe(1);
  });

  it('limits the rate of strangers by address, but not of peers it keeps', async () => {
    const server = await net.endpoint({ limits: { strangerRatePerSecond: 10, strangerBurst: 3 } });
    const raw = await net.raw(server.port);
    for (let messageId = 0; messageId < 3; messageId += 1) await raw.ask({ ...ask, messageId });
    raw.send({ ...ask, messageId: 3 });
    await until(() => server.endpoint.counters()['datagram-rate-limited'] === 1);
    server.clock.advance(100);
    expect(await raw.ask({ ...ask, messageId: 4 })).toMatchObject({ messageId: 4 });
    server.endpoint.keepPeer(peerAt(server, raw.port));
    for (let messageId = 10; messageId < 30; messageId += 1) await raw.ask({ ...ask, messageId });
    expect(server.asked).toHaveLength(24);
  });

  it('drops requests beyond what may run, and takes their retransmission later', async () => {
    const gate = held();
    const server = await net.endpoint({
      limits: { requestsInFlightPerPeerMax: 1 },
      onRequest: () => gate.promise.then(() => ({ code: Code.Changed })),
    });
    const raw = await net.raw(server.port);
    raw.send(ask);
    raw.send({ ...ask, messageId: 8 });
    await until(() => server.endpoint.counters()['request-refused-by-limit'] === 1);
    gate.resolve();
    expect(await raw.next()).toMatchObject({ messageId: 7 });
    expect(await raw.ask({ ...ask, messageId: 8 })).toMatchObject({ messageId: 8, code: Code.Changed });
  });

  it('refuses a body above the limit', async () => {
    const server = await net.endpoint({ limits: { bodyBytesMax: 100 } });
    const raw = await net.raw(server.port);
    const answer = await raw.ask({ ...ask, code: Code.PUT, payload: Buffer.alloc(101) });
    expect([answer.code, optionOf(answer, 60)]).toEqual([Code.RequestEntityTooLarge, Buffer.from([100])]);
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
