import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
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

  it('is dropped when its reader wants no more of it, but not beyond the size that a body may have', async () => {
    const { request, client } = chunkedRequest();
    const chunks = (await requestBody(request, 100)).open() as AsyncGenerator<Buffer>;
    client.write('a');
    await chunks.next();
    await chunks.return(undefined);
    client.write(Buffer.alloc(16_000));
    await eventually(() => expect(client.readableLength).toBe(0));
    expect(client.destroyed).toBe(false);
    client.write(Buffer.alloc(1_000));
    await eventually(() => expect(client.destroyed).toBe(true), { timeoutMs: 10_000 });
  });
});
