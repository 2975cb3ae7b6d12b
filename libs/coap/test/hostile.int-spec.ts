import { afterEach, describe, expect, it } from '@jest/globals';
import { type CoapMessage, Code, encodeMessage } from '../src/index.js';
import { Loopback, peerAt, until } from './bench-of-endpoints.js';
import { block, BLOCK2 } from './blocks.js';
import { message, option, type RawPeer, uriPath } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

/** Marsaglia's xorshift: the same numbers on every machine. */
const seeded = (state: number) => (max: number) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % max;
};

describe('an endpoint under 20,000 mutated datagrams', () => {
  it('stays bounded, keeps its conversations, and still answers', async () => {
    const errors: unknown[] = [];
    const limits = { unknownPeerBurst: 1_000_000, uploadsMax: 20, storedAnswersMax: 20, unknownPeerAnswersMax: 100 };
    const server = await net.endpoint({
      limits,
      onRequest: async ({ payload }) => ({
        code: Code.Content,
        payload: Buffer.concat([payload, Buffer.alloc(1_500)]),
      }),
      onNotification: async ({ token }) => ((token[0] ?? 0) & 1 ? 'accepted' : 'rejected'),
      onHandlerError: (error) => errors.push(error),
    });
    const raw = await net.raw(server.port);
    const honest = await net.raw(server.port);
    const request = server.endpoint.request(peerAt(server, honest.port), { method: Code.GET, path: ['3'] });
    const { messageId, token } = await honest.next();
    const templates = [
      {
        code: Code.POST,
        token: Buffer.from('abcdefgh'),
        options: [...uriPath('rd'), option(15, 'ep=a')],
        payload: token,
      },
      { code: Code.PUT, token, options: [...uriPath('fw'), option(27, [0x0a])], payload: Buffer.alloc(64) },
      { code: Code.GET, token, options: [...uriPath('x'), option(23, [0x12])] },
      { code: Code.Content, token, options: [option(6, [9]), option(23, [0x08])], payload: Buffer.alloc(16) },
      { type: 'ACK' as const, code: Code.Content, messageId, token },
      { type: 'RST' as const, messageId },
    ].map((template) => encodeMessage(message(template)));
    const below = seeded(7_641);
    for (let sent = 0; sent < 20_000; sent += 1) {
      const bytes = Buffer.from(templates[below(templates.length)]!);
      for (let change = below(3); change >= 0; change -= 1) bytes[below(bytes.length)] = below(256);
      raw.send(bytes.subarray(0, below(10) === 0 ? below(bytes.length + 1) : bytes.length));
      // Not more at once than the receive buffer of the kernel takes.
      if (sent % 100 === 99) await until(() => server.endpoint.counters()['datagram-received'] >= sent);
    }
    server.clock.advance(1_000);
    const gauges = server.endpoint.gauges();
    expect(gauges.uploads).toBeLessThanOrEqual(20);
    expect(gauges.storedAnswers).toBeLessThanOrEqual(20);
    expect(gauges).toMatchObject({ peers: 1, requestsOutstanding: 1, requestHandlersRunning: 0 });
    expect(errors).toEqual([]);
    honest.send({ type: 'ACK', code: Code.Valid, messageId, token });
    expect((await request).code).toBe(Code.Valid);
    const answer = await honest.ask({ code: Code.GET, messageId: 1, options: uriPath('3') });
    expect(answer).toMatchObject({ code: Code.Content, messageId: 1 });
  });
});

describe('uploads of one address', () => {
  it('take only a part of the memory for all uploads', async () => {
    const { port } = await net.endpoint({ limits: { bodyBytesMax: 4_096, uploadsBytesPerAddressMax: 0 } });
    const raw = await net.raw(port);
    const begin = async (messageId: number, path: string): Promise<number> => {
      const options = [...uriPath(path), option(27, [0x08])];
      return (await raw.ask({ code: Code.PUT, messageId, options, payload: Buffer.alloc(16) })).code;
    };
    expect(await begin(1, 'a')).toBe(Code.Continue);
    expect(await begin(2, 'b')).toBe(Code.ServiceUnavailable);
  });
});

describe('large answers of one source', () => {
  it('do not push out those that other sources fetch', async () => {
    let source = 'honest';
    const { port } = await net.endpoint({
      limits: { storedAnswersMax: 3 },
      sourceOf: () => source,
      onRequest: async () => ({ code: Code.Changed, payload: Buffer.alloc(1_500) }),
    });
    const [honest, raw] = [await net.raw(port), await net.raw(port)];
    const post = (peer: RawPeer, messageId: number, path: string, num: number): Promise<CoapMessage> =>
      peer.ask({ code: Code.POST, messageId, options: [...uriPath(path), block(BLOCK2, num, false, 6)] });
    expect((await post(honest, 1, 'a', 0)).payload).toHaveLength(1_024);
    source = 'hostile';
    for (let messageId = 1; messageId <= 5; messageId += 1) await post(raw, messageId, `b${messageId}`, 0);
    const rest = await post(honest, 2, 'a', 1);
    expect([rest.code, rest.payload.length]).toEqual([Code.Changed, 476]);
  });
});
