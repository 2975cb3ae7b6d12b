import type { FastifyInstance, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, TestClock } from '@lanyard/testing';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Timer } from '../clock.js';
import { RequestTooSlow } from '../errors/service-error.js';
import { bodyTimeoutMs } from './body-timeout.js';
import { createFastify } from './fastify.js';
import { bodyLimitBytes } from './limits.js';

/** Knows what still waits for it. */
class CountingClock extends TestClock {
  readonly waiting = new Set<object>();

  override after(delayMs: number, work: () => void): Timer {
    const timer = super.after(delayMs, work);
    this.waiting.add(timer);
    return { cancel: () => (this.waiting.delete(timer), timer.cancel()) };
  }
}

describe('a body that comes slowly', () => {
  let clock: CountingClock;
  let fastify: FastifyInstance;
  let begun: FastifyRequest[];
  /** Bytes that the handler of uploads has read. */
  let read: number;
  let readOn: () => void;
  let failure: unknown;
  let socket: Socket;
  let answer: string;
  let isClosed: boolean;

  beforeEach(async () => {
    clock = new CountingClock();
    begun = [];
    read = 0;
    failure = undefined;
    fastify = createFastify({}, () => clock).getInstance();
    fastify.addHook('onRequest', async (request) => void begun.push(request));
    for (const url of ['/v3/things', '/v2/things']) fastify.post(url, async () => 'made');
    // As the registry takes imports: the parser gets an empty body, the handler the request.
    const preParsing = async ({ headers }: FastifyRequest): Promise<Readable> =>
      Object.assign(Readable.from([]), { receivedEncodedLength: Number(headers['content-length']) });
    fastify.post('/v3/uploads', { bodyLimit: 2 * bodyLimitBytes, preParsing }, async ({ raw, url }) => {
      if (url.endsWith('?later')) await new Promise<void>((resolve) => (readOn = resolve));
      try {
        for await (const chunk of raw) read += (chunk as Buffer).length;
      } catch (error) {
        failure = error;
      }
      return String(read);
    });
    await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    socket.destroy();
    await fastify.close();
  });

  /** Returns when the service has the head. */
  const send = async (path: string, length: number, more = ''): Promise<void> => {
    const own = (socket = connect({ port: fastify.addresses()[0]?.port ?? 0, host: '127.0.0.1' }));
    [answer, isClosed] = ['', false];
    own.setEncoding('utf8').on('data', (text: string) => (answer += text));
    // That of the previous test may close only now.
    own.once('close', () => (isClosed ||= socket === own));
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: slow\r\ncontent-length: ${length}\r\n${more}\r\n`);
    await eventually(() => begun.length === 1 || isClosed);
  };

  const drip = async (): Promise<void> => {
    const before = begun[0]?.raw.socket.bytesRead ?? 0;
    socket.write('1');
    await eventually(() => (begun[0]?.raw.socket.bytesRead ?? 0) > before);
  };

  it.each([
    ['/v3/things', '"type":"request_timeout"'],
    ['/v3/nothing', '"request_id":"slow"'],
    ['/v2/things', '\r\n\r\nREQUEST_TIMEOUT'],
  ])('408 after 30 s, drop by drop, for %s, and the connection ends', async (path, words) => {
    await send(path, 100);
    for (let i = 0; i < 3; i++) {
      await drip();
      await clock.advance(bodyTimeoutMs / 3 - 1);
    }
    expect(answer).toBe('');
    await clock.advance(3);
    await eventually(() => isClosed);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('\r\nx-request-id: slow\r\n');
    expect(answer).toContain(words);
  });

  it('of a refused request is not waited for', async () => {
    socket = connect({ port: fastify.addresses()[0]?.port ?? 0, host: '127.0.0.1' });
    socket.write('POST /v3/%zz HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n1');
    const [text] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    await once(socket, 'close');
  });

  it('of an upload is waited for as long as bytes come: 408 after 30 s without', async () => {
    // Node's own bound, which knows no uploads.
    expect(fastify.server.requestTimeout).toBe(0);
    await send('/v3/uploads', 10);
    for (let i = 0; i < 5; i++) {
      await drip();
      await clock.advance(bodyTimeoutMs);
    }
    expect([answer, read]).toEqual(['', 5]);
    await clock.advance(bodyTimeoutMs);
    await eventually(() => isClosed);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    await eventually(() => failure instanceof RequestTooSlow);
  });

  it('of an upload that we read late is not the fault of the client', async () => {
    await send('/v3/uploads?later', bodyLimitBytes);
    socket.write(Buffer.alloc(bodyLimitBytes, '1'));
    await eventually(() => (begun[0]?.raw.readableLength ?? 0) > 0);
    await clock.advance(10 * bodyTimeoutMs);
    expect(answer).toBe('');
    readOn();
    await eventually(() => answer.endsWith(`\r\n\r\n${bodyLimitBytes}`));
  });

  it('is not watched any more when the connection ended with a refusal', async () => {
    await send('/v3/things?%00', 100, 'connection: close\r\n');
    await eventually(() => isClosed);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(clock.waiting.size).toBe(0);
  });

  it('leaves nothing behind once it has arrived: the connection stays open', async () => {
    await send('/v3/things', 1);
    await drip();
    await eventually(() => answer.endsWith('made'));
    await eventually(() => clock.waiting.size === 0);
    await clock.advance(bodyTimeoutMs);
    socket.write('POST /v3/things HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n1');
    await eventually(() => answer.match(/made/g)?.length === 2);
  });
});
