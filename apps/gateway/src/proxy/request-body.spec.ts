import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { requestBody } from './request-body.js';

/** A request with a body of unknown length, and the stream to which its client writes the body. */
const chunkedRequest = (): { request: IncomingMessage; client: PassThrough } => {
  const client = Object.assign(new PassThrough(), { headers: { 'transfer-encoding': 'chunked' } });
  return { request: client as unknown as IncomingMessage, client };
};

describe('a body that is streamed', () => {
  it('is not repeated once a reader waits for it, because that reader takes its first chunk', async () => {
    const { request, client } = chunkedRequest();
    const body = await requestBody(request, 100);
    const chunks = body.open() as AsyncGenerator<Buffer>;
    expect(body.repeatable()).toBe(true);
    const first = chunks.next();
    expect(body.repeatable()).toBe(false);
    client.end('a');
    expect(await first).toEqual({ value: Buffer.from('a'), done: false });
    expect(await chunks.next()).toEqual({ value: undefined, done: true });
  });
});
