import { afterEach, describe, expect, it } from '@jest/globals';
import {
  BlockTransferFailed,
  type BodySource,
  Code,
  type OutgoingRequest,
  RequestAbandoned,
  SOURCE_BYTES_MAX,
  UnencodableMessage,
} from '../src/index.js';
import { held, Loopback, type Options, peerAt } from './bench-of-endpoints.js';
import { answer, block, BLOCK1, SIZE1 } from './blocks.js';
import { option, optionOf } from './raw-peer.js';
import { bytesOf, WatchedSource } from './sources.js';
import { StreamLoopback } from './streams.js';

const net = new Loopback();
const streams = new StreamLoopback();
afterEach(() => Promise.all([net.close(), streams.close()]));

const put = (source: BodySource, over: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: Code.PUT,
  path: ['5', '0', '0'],
  contentFormat: 42,
  source,
  ...over,
});

const pair = async (options: Options = {}, senderOptions: Options = {}) => {
  const receiver = await net.endpoint(options);
  const sender = await net.endpoint(senderOptions);
  return { receiver, sender, peer: peerAt(sender, receiver.port) };
};

describe('a request from a source', () => {
  it.each([
    [0, 1_024],
    [1_024, 1_024],
    [1_025, 1_024],
    [2_048, 1_024],
    [100_001, 1_024],
    [5_000, 64],
  ])('sends %d bytes in blocks of %d, and reads each when it is sent', async (length, blockBytes) => {
    const { receiver, sender, peer } = await pair({}, { limits: { blockBytes } });
    const source = new WatchedSource(bytesOf(length));
    const taken: number[] = [];
    const response = await sender.endpoint.request(peer, put(source, { onProgress: (bytes) => taken.push(bytes) }));
    expect(response.code).toBe(Code.Changed);
    expect(receiver.asked.map(({ payload, contentFormat }) => [payload.equals(source.body), contentFormat])).toEqual([
      [true, 42],
    ]);
    expect(source.largestRead).toBeLessThanOrEqual(blockBytes);
    const ends = source.reads.map(({ offset, length: read }) => offset + read);
    expect(taken).toEqual(length <= blockBytes ? [] : ends);
  });

  it.each([
    ['small messages with blocks', 1_152, 1_024],
    ['large messages', 10_000, 9_216],
    ['very large messages', 3_000_000, 65_536],
  ])('leaves over TCP in parts that fit into %s', async (_name, messageBytesMax, part) => {
    const { port, endpoint, asked } = await streams.endpoint();
    const raw = await streams.ready(port, messageBytesMax);
    await raw.ask({ code: Code.GET, token: Buffer.from('t') });
    const source = new WatchedSource(bytesOf(200_000));
    const result = endpoint.request(asked[0]!.peer, put(source));
    const parts: Buffer[] = [];
    for (let more = true; more;) {
      const { token, options, payload } = (await raw.next())!;
      const bits = options.find(({ number }) => number === BLOCK1)!.value;
      const value = bits.readUIntBE(0, bits.length);
      expect([value & 7, (value >>> 4) * 1_024]).toEqual([part === 1_024 ? 6 : 7, Buffer.concat(parts).length]);
      more = (value & 8) !== 0;
      parts.push(payload);
      raw.send({ code: more ? Code.Continue : Code.Changed, token, options: [{ number: BLOCK1, value: bits }] });
    }
    expect((await result).code).toBe(Code.Changed);
    expect(Buffer.concat(parts).equals(source.body)).toBe(true);
    expect(source.largestRead).toBe(part);
  });

  it.each([
    ['a source above the limit', put({ bytes: SOURCE_BYTES_MAX + 1, read: async () => Buffer.alloc(0) })],
    ['a payload beside it', put(new WatchedSource(bytesOf(1)), { payload: Buffer.from('x') })],
  ])('is refused with %s', async (_name, request) => {
    const { sender, peer } = await pair();
    await expect(sender.endpoint.request(peer, request)).rejects.toThrow(UnencodableMessage);
  });

  it('ends with the error of its source, and the next request is sent', async () => {
    const { receiver, sender, peer } = await pair();
    const error = new Error('the disk is gone');
    const source = new WatchedSource(bytesOf(5_000), async (offset) => {
      if (offset === 2_048) throw error;
    });
    await expect(sender.endpoint.request(peer, put(source))).rejects.toBe(error);
    expect((await sender.endpoint.request(peer, { method: Code.GET, path: [] })).code).toBe(Code.Changed);
    expect(receiver.asked.map(({ method }) => method)).toEqual([Code.GET]);
  });

  it('ends when its source gives another number of bytes', async () => {
    const { sender, peer } = await pair();
    const source = { bytes: 5_000, read: async () => Buffer.alloc(1_023) };
    await expect(sender.endpoint.request(peer, put(source))).rejects.toThrow('1023 bytes instead of 1024');
  });

  it('ends at once when its signal aborts while the source is read', async () => {
    const { sender, peer } = await pair();
    const gate = held();
    const abort = new AbortController();
    const source = new WatchedSource(bytesOf(5_000), (offset) => (offset < 1_024 ? Promise.resolve() : gate.promise));
    const onProgress = (): void => queueMicrotask(() => abort.abort());
    await expect(sender.endpoint.request(peer, put(source, { signal: abort.signal, onProgress }))).rejects.toThrow(
      RequestAbandoned,
    );
    gate.resolve();
    expect((await sender.endpoint.request(peer, { method: Code.GET, path: [] })).code).toBe(Code.Changed);
  });

  it('ends over TCP between two blocks when its signal aborts', async () => {
    const receiver = await streams.endpoint({ limits: { bodyBytesMax: 1_000_000 } });
    const sender = await streams.endpoint();
    const peer = await sender.endpoint.connect({ host: '127.0.0.1', port: receiver.port });
    const abort = new AbortController();
    const source = new WatchedSource(bytesOf(500_000));
    const onProgress = (bytes: number): void => (bytes > 100_000 ? abort.abort() : undefined);
    await expect(sender.endpoint.request(peer, put(source, { signal: abort.signal, onProgress }))).rejects.toThrow(
      RequestAbandoned,
    );
    expect(source.reads).toHaveLength(2);
  });

  it('stays within memory while the peer takes it slowly: one block at a time', async () => {
    const sender = await net.endpoint();
    const raw = await net.raw(sender.port);
    const source = new WatchedSource(bytesOf(5_000));
    const result = sender.endpoint.request(peerAt(sender, raw.port), put(source));
    for (const num of [0, 1, 2, 3, 4]) {
      const part = await raw.next();
      expect(source.reads).toHaveLength(num + 1);
      raw.send(answer(part, num < 4 ? Code.Continue : Code.Changed, [block(BLOCK1, num, num < 4, 6)]));
    }
    expect((await result).code).toBe(Code.Changed);
  });
});

describe('a source on its way to a bare socket', () => {
  const setUp = async (length: number) => {
    const sender = await net.endpoint();
    const raw = await net.raw(sender.port);
    const source = new WatchedSource(bytesOf(length));
    const result = sender.endpoint.request(peerAt(sender, raw.port), put(source));
    result.catch(() => undefined);
    return { raw, result, source, clock: sender.clock };
  };
  const takeRest = async ({ raw, result, source }: Awaited<ReturnType<typeof setUp>>, szx: number) => {
    const parts: Buffer[] = [];
    for (let more = true; more;) {
      const next = await raw.next();
      const bits = optionOf(next, BLOCK1)!;
      expect(bits.readUIntBE(0, bits.length)).toBe(block1Of(parts.length, next.payload.length, source.bytes, szx));
      more = (bits.at(-1)! & 8) !== 0;
      parts.push(next.payload);
      raw.send(answer(next, more ? Code.Continue : Code.Changed, [option(BLOCK1, [...bits])]));
    }
    expect((await result).code).toBe(Code.Changed);
    expect(Buffer.concat(parts).equals(source.body)).toBe(true);
  };
  const block1Of = (num: number, bytes: number, all: number, szx: number): number =>
    num * 16 + (num * (16 << szx) + bytes < all ? 8 : 0) + szx;

  it('announces its size with the first block and continues in the smaller blocks that the peer asks for', async () => {
    const all = await setUp(2_100);
    const first = await all.raw.next();
    expect([optionOf(first, BLOCK1), optionOf(first, SIZE1)]).toEqual([Buffer.from([0x0e]), Buffer.from([0x08, 0x34])]);
    all.raw.send(answer(first, Code.Continue, [block(BLOCK1, 0, true, 5)]));
    for (const num of [2, 3, 4]) {
      const next = await all.raw.next();
      expect([optionOf(next, BLOCK1), optionOf(next, SIZE1)]).toEqual([
        block(BLOCK1, num, num < 4, 5).value,
        undefined,
      ]);
      all.raw.send(answer(next, num < 4 ? Code.Continue : Code.Changed, [block(BLOCK1, num, num < 4, 5)]));
    }
    expect((await all.result).code).toBe(Code.Changed);
  });

  it('starts again in the smaller blocks of a 4.13', async () => {
    const all = await setUp(3_000);
    all.raw.send(answer(await all.raw.next(), Code.RequestEntityTooLarge, [block(BLOCK1, 0, false, 4)]));
    await takeRest(all, 4);
  });

  it('starts again once when the peer has lost its blocks (4.08), and then gives its answer', async () => {
    const once = await setUp(3_000);
    once.raw.send(answer(await once.raw.next(), Code.Continue, [block(BLOCK1, 0, true, 6)]));
    once.raw.send(answer(await once.raw.next(), Code.RequestEntityIncomplete, []));
    await takeRest(once, 6);
    const twice = await setUp(3_000);
    for (const _time of [1, 2]) {
      twice.raw.send(answer(await twice.raw.next(), Code.Continue, [block(BLOCK1, 0, true, 6)]));
      twice.raw.send(answer(await twice.raw.next(), Code.RequestEntityIncomplete, []));
    }
    expect((await twice.result).code).toBe(Code.RequestEntityIncomplete);
  });

  it('sends a block again that was not acknowledged, without reading it again', async () => {
    const all = await setUp(2_000);
    all.raw.send(answer(await all.raw.next(), Code.Continue, [block(BLOCK1, 0, true, 6)]));
    const second = await all.raw.next();
    all.clock.advance(2_100);
    expect(await all.raw.next()).toEqual(second);
    expect(all.source.reads).toHaveLength(2);
    all.raw.send(answer(second, Code.Changed, [block(BLOCK1, 1, false, 6)]));
    expect((await all.result).code).toBe(Code.Changed);
  });

  it('fails when the peer wants blocks that are too small to be numbered', async () => {
    const sender = await net.endpoint();
    const raw = await net.raw(sender.port);
    const source = { bytes: SOURCE_BYTES_MAX, read: async (_offset: number, length: number) => Buffer.alloc(length) };
    const result = sender.endpoint.request(peerAt(sender, raw.port), put(source));
    result.catch(() => undefined);
    raw.send(answer(await raw.next(), Code.Continue, [block(BLOCK1, 0, true, 1)]));
    await expect(result).rejects.toThrow(BlockTransferFailed);
    await expect(result).rejects.toThrow('too many blocks of 32 bytes');
  });
});
