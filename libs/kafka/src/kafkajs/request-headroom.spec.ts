import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { HeadroomRequest, replaceRequestCopies } from './request-headroom.js';

interface Encoder {
  buf: Buffer;
  buffer: Buffer;
  writeInt16(value: number): Encoder;
  writeString(value: string): Encoder;
}

type Encode = (about: { correlationId: number; clientId: string; request: object }) => Promise<{ buffer: Buffer }>;

const require = createRequire(import.meta.url);
const KafkajsEncoder = require('kafkajs/src/protocol/encoder.js') as new () => Encoder;
const encodeRequest = require('kafkajs/src/protocol/request.js') as Encode;
replaceRequestCopies();

const body = Buffer.alloc(100_000, 'body');
const framed = async (clientId: string, encoded: unknown): Promise<Buffer> => {
  const request = { apiKey: 0, apiVersion: 3, encode: async () => encoded };
  return (await encodeRequest({ correlationId: 7, clientId, request })).buffer;
};
const withHeadroom = (): unknown => HeadroomRequest.of(body.length, (buffer, at) => void body.copy(buffer, at));

describe('a request with room in front', () => {
  it.each([
    ['a usual client', 'device-proxy-0'],
    ['no client', ''],
    ['a client that fills the room', 'c'.repeat(1_010)],
    ['a client whose name does not fit', 'c'.repeat(2_000)],
  ])('leaves as kafkajs puts it together: %s', async (_name, clientId) => {
    const plain = { buf: body, buffer: body };
    expect((await framed(clientId, withHeadroom())).equals(await framed(clientId, plain))).toBe(true);
  });

  it('is not copied', async () => {
    const encoded = withHeadroom() as { buf: Buffer };
    expect((await framed('client', encoded)).buffer).toBe(encoded.buf.buffer);
  });

  it('does not change what is put together otherwise', async () => {
    const small = new KafkajsEncoder().writeInt16(5).writeString('text');
    const bytes = Buffer.from(small.buffer);
    expect((await framed('client', small)).subarray(-bytes.length).equals(bytes)).toBe(true);
  });
});
