import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type BodyBlock,
  type BodySource,
  type CoapRequest,
  type CoapResponse,
  Code,
  UnencodableMessage,
} from '../src/index.js';
import { Loopback, peerAt } from './bench-of-endpoints.js';
import { block, BLOCK1 } from './blocks.js';
import { uriPath } from './raw-peer.js';
import { StreamLoopback } from './streams.js';

const net = new Loopback();
const streams = new StreamLoopback();
afterEach(() => Promise.all([net.close(), streams.close()]));

const body = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 31) & 0xff));

/** Takes the blocks of a body in order. */
class Taker {
  readonly blocks: (BodyBlock | undefined)[] = [];
  private parts: Buffer[] = [];

  readonly takesBlocks = (method: number, path: readonly string[]): boolean =>
    method === Code.PUT && path.join('/') === '5/0/0';

  readonly onRequest = async ({ block: part, payload }: CoapRequest): Promise<CoapResponse> => {
    this.blocks.push(part);
    if (part?.offset === 0) this.parts = [];
    if (part && part.offset !== this.body.length) return { code: Code.RequestEntityIncomplete };
    this.parts.push(Buffer.from(payload));
    return { code: part?.more ? Code.Continue : Code.Changed };
  };

  get body(): Buffer {
    return Buffer.concat(this.parts);
  }
}

describe('a body of a request, block by block', () => {
  it('reaches the handler in blocks where it asks for that, and nothing is kept', async () => {
    const taker = new Taker();
    const device = await net.endpoint(taker);
    const server = await net.endpoint({ limits: { blockBytes: 1_024 } });
    const to = peerAt(server, device.port);
    const answer = await server.endpoint.request(to, { method: Code.PUT, path: ['5', '0', '0'], payload: body });
    expect(answer.code).toBe(Code.Changed);
    expect(taker.body.equals(body)).toBe(true);
    expect(taker.blocks).toEqual([
      { offset: 0, more: true, bytes: 1_024 },
      { offset: 1_024, more: true, bytes: 1_024 },
      { offset: 2_048, more: false, bytes: 1_024 },
    ]);
    expect(device.endpoint.gauges()).toMatchObject({ uploads: 0, uploadBytes: 0 });
    await server.endpoint.request(to, { method: Code.PUT, path: ['5', '0', '1'], payload: body });
    expect(taker.blocks.slice(3)).toEqual([undefined]);
    expect(taker.body.length).toBe(2 * body.length);
  });

  it('reaches it once when a block is sent again, and not at all when it is not full', async () => {
    const taker = new Taker();
    const device = await net.endpoint(taker);
    const raw = await net.raw(device.port);
    const options = [...uriPath('5', '0', '0'), block(BLOCK1, 0, true, 0)];
    const first = { type: 'CON', code: Code.PUT, messageId: 7, token: Buffer.from([1]), options } as const;
    for (let time = 0; time < 2; time++) {
      raw.send({ ...first, payload: Buffer.alloc(16) });
      expect((await raw.next()).code).toBe(Code.Continue);
    }
    raw.send({ ...first, messageId: 8, payload: Buffer.alloc(15) });
    expect((await raw.next()).code).toBe(Code.BadRequest);
    expect(taker.blocks).toEqual([{ offset: 0, more: true, bytes: 16 }]);
  });

  it('is taken so over TCP too, where a message has several blocks', async () => {
    const taker = new Taker();
    const device = await streams.endpoint(taker);
    const server = await streams.endpoint();
    const to = await server.endpoint.connect({ host: '127.0.0.1', port: device.port });
    const large = Buffer.concat(Array.from({ length: 50 }, () => body));
    const source: BodySource = {
      bytes: large.length,
      read: async (offset, length) => large.subarray(offset, offset + length),
    };
    const answer = await server.endpoint.request(to, { method: Code.PUT, path: ['5', '0', '0'], source });
    expect(answer.code).toBe(Code.Changed);
    expect(taker.body.equals(large)).toBe(true);
    expect(taker.blocks.map((part) => part?.offset)).toEqual([0, 65_536, 131_072]);
  });
});

describe('a body of a response, block by block', () => {
  const get = { method: Code.GET, path: ['downloads', 'x'] };

  it('is fetched at any offset, in the blocks of the server if they are smaller', async () => {
    const server = await net.endpoint({
      limits: { blockBytes: 512 },
      onRequest: async () => ({ code: Code.Content, payload: body, etag: Buffer.from('a') }),
    });
    const device = await net.endpoint();
    const to = peerAt(device, server.port);
    const fetch = (offset: number, bytes: number) => device.endpoint.request(to, { ...get, block: { offset, bytes } });
    const large = await fetch(2_048, 1_024);
    expect([large.block, large.etag?.toString()]).toEqual([{ offset: 2_048, more: true, bytes: 512 }, 'a']);
    expect(large.payload.equals(body.subarray(2_048, 2_560))).toBe(true);
    const last = await fetch(2_560, 512);
    expect([last.block?.more, last.payload.equals(body.subarray(2_560))]).toEqual([false, true]);
    await expect(fetch(100, 64)).rejects.toThrow(UnencodableMessage);
    await expect(fetch(0, 100)).rejects.toThrow(UnencodableMessage);
  });

  it('is whole when the server has no blocks for it', async () => {
    const server = await net.endpoint({ onRequest: async () => ({ code: Code.NotFound }) });
    const device = await net.endpoint();
    const block = { offset: 0, bytes: 1_024 };
    const answer = await device.endpoint.request(peerAt(device, server.port), { ...get, block });
    expect([answer.code, answer.block]).toEqual([Code.NotFound, undefined]);
  });
});
