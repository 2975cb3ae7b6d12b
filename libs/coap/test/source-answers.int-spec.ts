import { afterEach, describe, expect, it } from '@jest/globals';
import { type BodySource, Code, type CoapRequest, SOURCE_BYTES_MAX, SourceUnavailable } from '../src/index.js';
import { Signal } from '../src/stream/signals.js';
import { held, Loopback, peerAt, until } from './bench-of-endpoints.js';
import { block, BLOCK2, ETAG, SIZE2 } from './blocks.js';
import { option, optionOf, uriPath } from './raw-peer.js';
import { bytesOf, WatchedSource } from './sources.js';
import { StreamLoopback } from './streams.js';

const net = new Loopback();
const streams = new StreamLoopback();
afterEach(() => Promise.all([net.close(), streams.close()]));

const etag = Buffer.from('v1');
const get = { method: Code.GET, path: ['downloads', 'x'] };
const serving = (source: BodySource) => async (_request: CoapRequest) => ({
  code: Code.Content,
  etag,
  contentFormat: 42,
  source,
});

describe('an answer from a source', () => {
  it.each([0, 1_024, 1_025, 300_000])('of %d bytes reaches a device over UDP', async (length) => {
    const source = new WatchedSource(bytesOf(length));
    const server = await net.endpoint({ onRequest: serving(source) });
    const device = await net.endpoint();
    const response = await device.endpoint.request(peerAt(device, server.port), get);
    expect(response).toMatchObject({ code: Code.Content, contentFormat: 42, etag });
    expect(response.payload.equals(source.body)).toBe(true);
    expect(source.largestRead).toBeLessThanOrEqual(1_024);
    expect(server.endpoint.gauges()).toMatchObject({ storedAnswers: 0, requestHandlersRunning: 0 });
  });

  it.each([1_024, 65_536, 300_000])('of %d bytes reaches a device over TCP, several blocks at once', async (length) => {
    const source = new WatchedSource(bytesOf(length));
    const server = await streams.endpoint({ onRequest: serving(source) });
    const device = await streams.endpoint();
    const toServer = await device.endpoint.connect({ host: '127.0.0.1', port: server.port });
    const response = await device.endpoint.request(toServer, get);
    expect(response.payload.equals(source.body)).toBe(true);
    expect(source.largestRead).toBe(Math.min(length, 65_536));
    expect(source.reads).toHaveLength(Math.ceil(length / 65_536));
  });

  it.each([1_000, 65_537])('of %d bytes is whole, or refused, for a connection without blocks', async (length) => {
    const source = new WatchedSource(bytesOf(length));
    const { port } = await streams.endpoint({ onRequest: serving(source) });
    const raw = await streams.raw(port);
    await raw.next();
    raw.send({ code: Signal.Csm, options: [option(2, [0x0f, 0x42, 0x40])] });
    const response = await raw.ask({ code: Code.GET, token: Buffer.from('t') });
    expect(response!.code).toBe(length === 1_000 ? Code.Content : Code.BadRequest);
  });

  it.each([5_000, SOURCE_BYTES_MAX])(
    'of %d bytes has the blocks that a connection asks for, also if its CSM says nothing of blocks',
    async (bytes) => {
      const read = async (_offset: number, length: number) => Buffer.alloc(length);
      const { port } = await streams.endpoint({ onRequest: serving({ bytes, read }) });
      const raw = await streams.raw(port);
      await raw.next();
      raw.send({ code: Signal.Csm });
      const options = [...uriPath('downloads', 'x'), block(BLOCK2, 2, false, 6)];
      const third = await raw.ask({ code: Code.GET, token: Buffer.from('t'), options });
      expect(third!.options).toContainEqual(block(BLOCK2, 2, true, 6));
      expect(third!.payload).toHaveLength(1_024);
    },
  );
});

describe('an answer from a source to a bare socket', () => {
  const setUp = async (source: BodySource, limits = {}) => {
    const server = await net.endpoint({ onRequest: serving(source), limits });
    const raw = await net.raw(server.port);
    const request = (messageId: number, num: number, szx: number, code: number = Code.GET) => ({
      code,
      messageId,
      token: Buffer.from(`t${messageId}`),
      options: [...uriPath('downloads', 'x'), block(BLOCK2, num, false, szx)],
    });
    return { ...server, raw, request, ask: (...of: Parameters<typeof request>) => raw.ask(request(...of)) };
  };
  const body = bytesOf(5_000);

  it('begins at any block, as after the reboot of a device', async () => {
    const { ask } = await setUp(new WatchedSource(body));
    const fourth = await ask(1, 3, 6);
    expect([optionOf(fourth, BLOCK2), optionOf(fourth, ETAG), optionOf(fourth, SIZE2)]).toEqual([
      block(BLOCK2, 3, true, 6).value,
      etag,
      Buffer.from([0x13, 0x88]),
    ]);
    expect(fourth.payload).toEqual(body.subarray(3_072, 4_096));
    const last = await ask(2, 4, 6);
    expect([optionOf(last, BLOCK2), last.payload]).toEqual([block(BLOCK2, 4, false, 6).value, body.subarray(4_096)]);
  });

  it.each([
    ['the size that the device asks for first', {}, 2, 2],
    ['our size where it is smaller', { blockBytes: 256 }, 6, 4],
  ])('comes in blocks of %s', async (_name, limits, wanted, given) => {
    const { ask } = await setUp(new WatchedSource(body), limits);
    const first = await ask(1, 0, wanted);
    expect([optionOf(first, BLOCK2)![0], first.payload]).toEqual([8 + given, body.subarray(0, 16 << given)]);
    const third = await ask(2, 2, given);
    expect(third.payload).toEqual(body.subarray(2 * (16 << given), 3 * (16 << given)));
  });

  it('begins at the byte of the block that the device asks for when our blocks are smaller', async () => {
    const { ask } = await setUp(new WatchedSource(body), { blockBytes: 256 });
    const answer = await ask(1, 2, 6);
    expect([optionOf(answer, BLOCK2), answer.payload]).toEqual([
      block(BLOCK2, 8, true, 4).value,
      body.subarray(2_048, 2_304),
    ]);
  });

  it.each([
    ['the end', 5, 6],
    ['what blocks of 1024 bytes can number', 0xf_ffff, 6],
  ])('is 4.00 beyond %s', async (_name, num, szx) => {
    const source = new WatchedSource(body);
    const { ask } = await setUp(source);
    expect((await ask(1, num, szx)).code).toBe(Code.BadRequest);
    expect(source.reads).toEqual([]);
  });

  it('is 4.00 when its blocks are too small to be numbered', async () => {
    const { ask } = await setUp({ bytes: SOURCE_BYTES_MAX, read: async (_offset, length) => Buffer.alloc(length) });
    expect((await ask(1, 0, 1)).code).toBe(Code.BadRequest);
    expect((await ask(2, 0xf_ffff, 2)).payload).toHaveLength(64);
  });

  it('is sent again as it was, without the handler', async () => {
    const source = new WatchedSource(body);
    const { raw, request, asked } = await setUp(source);
    const first = await raw.ask(request(1, 1, 6));
    expect(await raw.ask(request(1, 1, 6))).toEqual(first);
    expect([asked.length, source.reads.length]).toEqual([1, 1]);
  });

  it('is acknowledged first and follows in a message of its own when the source is slow', async () => {
    const gate = held();
    const { raw, request, clock, endpoint } = await setUp(new WatchedSource(body, () => gate.promise));
    raw.send(request(1, 0, 6));
    await until(() => endpoint.gauges().requestHandlersRunning === 1);
    raw.send(request(1, 0, 6));
    await raw.heardNothing();
    clock.advance(1_600);
    expect(await raw.next()).toMatchObject({ type: 'ACK', code: 0, messageId: 1 });
    gate.resolve();
    const separate = await raw.next();
    expect(separate).toMatchObject({ type: 'CON', code: Code.Content, token: Buffer.from('t1') });
    expect(separate.payload).toEqual(body.subarray(0, 1_024));
    raw.send({ type: 'ACK', messageId: separate.messageId });
  });

  it('has the code that the source decides when it fails, otherwise 5.00', async () => {
    let error: Error = new SourceUnavailable(Code.ServiceUnavailable, 7);
    const { ask } = await setUp(
      new WatchedSource(body, async () => {
        throw error;
      }),
    );
    const refused = await ask(1, 0, 6);
    expect([refused.code, optionOf(refused, 14)]).toEqual([Code.ServiceUnavailable, Buffer.from([7])]);
    error = new Error('the disk is gone');
    expect((await ask(2, 0, 6)).code).toBe(Code.InternalServerError);
  });

  it('may be an error instead, whichever block was asked for', async () => {
    const server = await net.endpoint({ onRequest: async () => ({ code: Code.NotFound }) });
    const raw = await net.raw(server.port);
    const asked = { code: Code.GET, messageId: 1, options: [...uriPath('x'), block(BLOCK2, 3, false, 6)] };
    const refused = await raw.ask(asked);
    expect([refused.code, optionOf(refused, BLOCK2)]).toEqual([Code.NotFound, undefined]);
    const stream = await streams.endpoint({ onRequest: async () => ({ code: Code.NotFound }) });
    const connection = await streams.ready(stream.port);
    expect((await connection.ask({ ...asked, token: Buffer.from('t') }))?.code).toBe(Code.NotFound);
  });

  it('is no answer to a request that changes something', async () => {
    const { ask } = await setUp(new WatchedSource(body));
    expect((await ask(1, 0, 6, Code.POST)).code).toBe(Code.InternalServerError);
  });

  it('carries its ETag in each block, so that the device notices a change', async () => {
    let version = 'v1';
    const { port } = await net.endpoint({
      onRequest: async () => ({ code: Code.Content, etag: Buffer.from(version), source: new WatchedSource(body) }),
    });
    const raw = await net.raw(port);
    const options = [...uriPath('x'), option(BLOCK2, [0x06])];
    expect(optionOf(await raw.ask({ code: Code.GET, messageId: 1, options }), ETAG)!.toString()).toBe('v1');
    version = 'v2';
    expect(optionOf(await raw.ask({ code: Code.GET, messageId: 2, options }), ETAG)!.toString()).toBe('v2');
  });
});
