import { afterEach, describe, expect, it } from '@jest/globals';
import { Code } from '../src/index.js';
import { csm, Signal } from '../src/stream/signals.js';
import { held, until } from './bench-of-endpoints.js';
import { option, uriPath } from './raw-peer.js';
import { StreamLoopback } from './streams.js';

const net = new StreamLoopback();
afterEach(() => net.close());

const text = (bytes: Buffer | undefined): string | undefined => bytes?.toString();

describe('signalling (RFC 8323 §5)', () => {
  it('says its CSM first: messages of 1 MiB and blocks', async () => {
    const { port } = await net.endpoint();
    const raw = await net.raw(port);
    const first = await raw.next();
    expect(first?.code).toBe(Signal.Csm);
    expect(first?.options).toEqual([
      { number: 2, value: Buffer.from([0x10, 0x10, 0x00]) },
      { number: 4, value: Buffer.alloc(0) },
    ]);
  });

  it('answers a Ping with its token and ignores empty messages', async () => {
    const { port } = await net.endpoint();
    const raw = await net.ready(port);
    raw.send({ code: 0 });
    expect(await raw.ask({ code: Signal.Ping, token: Buffer.from('ab') })).toMatchObject({
      code: Signal.Pong,
      token: Buffer.from('ab'),
    });
  });

  it('a Release is answered by the end of the connection, once everything is answered', async () => {
    const gate = held<void>();
    const { port } = await net.endpoint({
      onRequest: () => gate.promise.then(() => ({ code: Code.Content })),
    });
    const raw = await net.ready(port);
    raw.send({ code: Code.GET, token: Buffer.from('t') });
    raw.send({ code: Signal.Release });
    raw.send({ code: Signal.Ping });
    expect((await raw.next())?.code).toBe(Signal.Pong);
    gate.resolve();
    expect((await raw.rest()).map(({ code }) => code)).toEqual([Code.Content]);
  });

  it('an Abort ends the connection', async () => {
    const { port, endpoint } = await net.endpoint();
    const raw = await net.ready(port);
    raw.send({ code: Signal.Abort });
    expect(await raw.rest()).toEqual([]);
    expect(endpoint.counters()).toMatchObject({ 'abort-received': 1, 'connection-closed': 1 });
  });
});

describe('a peer that breaks the protocol', () => {
  it.each([
    ['speaks before its CSM', Buffer.from('0001', 'hex'), 'The first message has to be a CSM'],
    ['sends a CSM with an unknown critical option', Buffer.from('10e130', 'hex'), 'Unknown option 3'],
    ['takes only tiny messages', csm(16), 'Max-Message-Size is too small'],
    ['has a token of nine bytes', Buffer.from('09e1', 'hex'), 'Malformed CoAP message: token length above 8'],
    ['announces 4 GiB', Buffer.from('f0ffffffff01', 'hex'), 'A message of 4295033106 bytes is too large'],
  ])('%s: Abort', async (_what, bytes, diagnostic) => {
    const { port, endpoint, asked } = await net.endpoint();
    const raw = await net.raw(port);
    await raw.next();
    raw.send(bytes);
    const [last, ...more] = await raw.rest();
    expect([last?.code, text(last?.payload), more]).toEqual([Signal.Abort, diagnostic, []]);
    expect(asked).toEqual([]);
    await until(() => endpoint.gauges().connections === 0);
  });

  it('an unknown critical option in a request: 4.02, and the connection stays', async () => {
    const { port } = await net.endpoint();
    const raw = await net.ready(port);
    const answer = await raw.ask({ code: Code.GET, options: [option(9, 'x')] });
    expect(answer?.code).toBe(Code.BadOption);
    expect((await raw.ask({ code: Code.GET, options: uriPath('a') }))?.code).toBe(Code.Changed);
  });
});

describe('a peer that takes its time', () => {
  it('half-open: no CSM within the handshake time', async () => {
    const { port, clock, endpoint } = await net.endpoint();
    const raw = await net.raw(port);
    await raw.next();
    clock.advance(12_000);
    expect(await raw.rest()).toEqual([]);
    expect(endpoint.counters()['connection-half-open']).toBe(1);
  });

  it('a message that never ends, and bytes of incomplete messages of all together', async () => {
    const { port, clock, endpoint } = await net.endpoint({
      limits: { incompleteBytesMax: 20_000, messageTimeoutMs: 30_000 },
    });
    const slow = await net.ready(port);
    slow.send(Buffer.from('f000001000', 'hex'));
    await until(() => endpoint.gauges().incompleteBytes === 5);
    clock.advance(32_000);
    expect(await slow.rest()).toEqual([]);
    expect(endpoint.counters()['connection-slow']).toBe(1);
    const hoarders = [await net.ready(port), await net.ready(port)];
    for (const one of hoarders) one.send(Buffer.concat([Buffer.from('f000008000', 'hex'), Buffer.alloc(12_000)]));
    await until(() => endpoint.counters()['abort-sent'] === 1);
    expect(endpoint.gauges().incompleteBytes).toBeLessThanOrEqual(20_000);
  });

  it('a quiet stranger is let go, a kept peer is asked for a sign of life', async () => {
    const { port, clock, endpoint, asked } = await net.endpoint();
    const stranger = await net.ready(port);
    const kept = await net.ready(port);
    await kept.ask({ code: Code.GET });
    endpoint.keepPeer(asked[0]!.peer);
    await until(() => endpoint.gauges().openConnections === 2);
    clock.advance(62_000);
    expect((await stranger.rest()).map(({ code }) => code)).toEqual([Signal.Release]);
    clock.advance(1_750_000);
    const sign = await kept.next();
    expect(sign?.code).toBe(Signal.Ping);
    kept.send({ code: Signal.Pong, token: sign!.token });
    await until(() => endpoint.counters()['message-received'] === 4);
    clock.advance(60_000);
    expect(endpoint.gauges().openConnections).toBe(1);
    clock.advance(1_840_000);
    await kept.rest();
    expect(endpoint.counters()['connection-silent']).toBe(1);
  });

  it('one that does not read what it asked for is dropped', async () => {
    const { port, endpoint } = await net.endpoint({
      onRequest: async () => ({ code: Code.Content, payload: Buffer.alloc(900_000) }),
      limits: { sendBufferBytesMax: 2_000_000 },
    });
    const raw = await net.ready(port);
    raw.socket.pause();
    for (let asked = 0; asked < 60; asked += 1) raw.send({ code: Code.GET, token: Buffer.from([asked]) });
    await until(() => endpoint.counters()['connection-slow'] === 1);
    await until(() => endpoint.gauges().connections === 0);
  });

  it('one that asks faster than it is answered is not read until there is room', async () => {
    const gate = held<void>();
    let running = 0;
    let most = 0;
    const { port } = await net.endpoint({
      limits: { requestsInFlightPerPeerMax: 4 },
      onRequest: async () => {
        most = Math.max(most, (running += 1));
        await gate.promise;
        running -= 1;
        return { code: Code.Content };
      },
    });
    const raw = await net.ready(port);
    for (let asked = 0; asked < 20; asked += 1) raw.send({ code: Code.GET, token: Buffer.from([asked]) });
    await until(() => running === 4);
    gate.resolve();
    for (let answered = 0; answered < 20; answered += 1) expect((await raw.next())?.code).toBe(Code.Content);
    expect(most).toBe(4);
  });
});

describe('too many connections', () => {
  it('from one address, and in total: the later ones are refused', async () => {
    const { port, endpoint } = await net.endpoint({ limits: { connectionsPerAddressMax: 2 } });
    const first = await net.ready(port);
    await net.ready(port);
    const third = await net.raw(port);
    expect(await third.rest()).toEqual([]);
    expect(endpoint.counters()['connection-refused-by-limit']).toBe(1);
    await first.close();
    await until(() => endpoint.gauges().connections === 1);
    await net.ready(port);
    const limits = { connectBurst: 2, connectRatePerSecond: 1 };
    const patient = await net.endpoint({ limits });
    const early = [await net.ready(patient.port), await net.ready(patient.port)];
    for (const one of early) await one.close();
    expect(await (await net.raw(patient.port)).rest()).toEqual([]);
    patient.clock.advance(1_000);
    await net.ready(patient.port);
    const small = await net.endpoint({ limits: { connectionsMax: 1 } });
    await net.ready(small.port);
    expect(await (await net.raw(small.port)).rest()).toEqual([]);
  });

  it('and refused over TCP, they do not reach the application', async () => {
    const admitted: string[] = [];
    const { port, endpoint } = await net.endpoint({
      limits: { connectionsMax: 1 },
      onConnection: ({ authority }) => admitted.push(authority) > 0,
    });
    await net.ready(port);
    const second = await net.raw(port);
    expect(await second.rest()).toEqual([]);
    await until(() => endpoint.counters()['connection-refused-by-limit'] === 1);
    expect([admitted.length, endpoint.counters()['connection-closed']]).toEqual([1, 0]);
  });
});

describe('5,000 mutated conversations', () => {
  it('leave nothing behind, and an honest one continues', async () => {
    const errors: unknown[] = [];
    const { port, endpoint } = await net.endpoint({
      onRequest: async ({ payload }) => ({ code: Code.Content, payload }),
      onHandlerError: (error) => errors.push(error),
      limits: { uploadsMax: 20, storedAnswersMax: 20, connectBurst: 10_000 },
    });
    const honest = await net.ready(port);
    let state = 8_323;
    const below = (max: number): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % max;
    };
    const talk = Buffer.concat([
      csm(2_000),
      Buffer.from('7101aab2726444657033 61'.replace(' ', ''), 'hex'),
      Buffer.from('a303010203d10e0fff0000000000', 'hex'),
      Buffer.from('4145bb6105ff41', 'hex'),
      Buffer.from('01e242', 'hex'),
    ]);
    for (let run = 0; run < 5_000; run += 50) {
      const streams = await Promise.all(Array.from({ length: 50 }, () => net.raw(port)));
      for (const one of streams) {
        const bytes = Buffer.from(talk);
        for (let change = below(4); change >= 0; change -= 1) bytes[below(bytes.length)] = below(256);
        one.socket.end(bytes.subarray(0, below(4) === 0 ? below(bytes.length + 1) : bytes.length));
      }
      await Promise.all(streams.map((one) => one.rest()));
    }
    await until(() => endpoint.gauges().connections === 1);
    expect(errors).toEqual([]);
    expect(endpoint.gauges()).toMatchObject({ incompleteBytes: 0, requestHandlersRunning: 0 });
    expect((await honest.ask({ code: Code.GET, payload: Buffer.from('still here') }))?.payload.toString()).toBe(
      'still here',
    );
  });
});
