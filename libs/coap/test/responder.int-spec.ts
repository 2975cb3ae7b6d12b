import { afterEach, describe, expect, it } from '@jest/globals';
import { Code } from '../src/index.js';
import { held, Loopback, peerAt, until } from './bench-of-endpoints.js';
import { block, BLOCK2 } from './blocks.js';
import { option, optionOf, uriPath } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

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

  it('answers a duplicate that the network delivers after many other messages', async () => {
    const server = await net.endpoint({ limits: { answersPerPeerMax: 20 } });
    const raw = await net.raw(server.port);
    server.endpoint.keepPeer(peerAt(server, raw.port));
    const execute = { ...ask, code: Code.POST };
    for (let messageId = 0; messageId < 20; messageId += 1) await raw.ask({ ...execute, messageId });
    await raw.ask({ ...execute, messageId: 0 });
    expect(server.asked).toHaveLength(20);
    for (const messageId of [20, 0]) await raw.ask({ ...execute, messageId });
    expect(server.asked).toHaveLength(22);
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

  it('takes the same message id with another query as new: another device has that address now', async () => {
    const server = await net.endpoint();
    const raw = await net.raw(server.port);
    const named = (name: string) => ({ ...ask, options: [{ number: 15, value: Buffer.from(`ep=${name}`) }] });
    for (const name of ['one', 'two', 'two']) await raw.ask(named(name));
    expect(server.asked.map(({ query }) => query)).toEqual([['ep=one'], ['ep=two']]);
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

  it('gives up on a separate answer that is not acknowledged', async () => {
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

  it('answers a ping with a Reset, without asking the handler', async () => {
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

  it('limits the rate of unknown peers by address, but not of peers it keeps', async () => {
    const server = await net.endpoint({ limits: { unknownPeerRatePerSecond: 10, unknownPeerBurst: 3 } });
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

  it('keeps a large answer while its blocks are fetched, however long all of them take', async () => {
    const payload = Buffer.alloc(64, 'x');
    const server = await net.endpoint({ onRequest: async () => ({ code: Code.Changed, payload }) });
    const raw = await net.raw(server.port);
    const fetch = (num: number) => {
      const options = [...ask.options, block(BLOCK2, num, false, 0)];
      return raw.ask({ ...ask, code: Code.POST, messageId: 20 + num, options });
    };
    for (const num of [0, 1, 2]) {
      expect(await fetch(num)).toMatchObject({ code: Code.Changed, payload: payload.subarray(0, 16) });
      server.clock.advance(60_000);
    }
    server.clock.advance(33_000);
    expect((await fetch(3)).code).toBe(Code.RequestEntityIncomplete);
    expect(server.asked).toHaveLength(1);
  });

  it('refuses a body above the limit', async () => {
    const server = await net.endpoint({ limits: { bodyBytesMax: 100 } });
    const raw = await net.raw(server.port);
    const answer = await raw.ask({ ...ask, code: Code.PUT, payload: Buffer.alloc(101) });
    expect([answer.code, optionOf(answer, 60)]).toEqual([Code.RequestEntityTooLarge, Buffer.from([100])]);
  });
});
