import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { CommonConfig } from '../config/common.js';
import { Public } from '../identity/guard.js';
import { type RunningService, startService } from './start-service.js';
import { IdentityModule } from '../identity/identity.module.js';

const config: CommonConfig = {
  app: 'demo',
  replicaId: 'demo-0',
  http: { host: '127.0.0.1', port: 0 },
  kafka: { brokers: [], topicPrefix: '' },
  logLevel: 'silent',
  secrets: { databaseUrl: '' },
};

@Public()
@Controller('v3/things')
class ThingsController {
  @Get()
  list(): string {
    return 'things';
  }

  @Post()
  @HttpCode(201)
  create(): string {
    return 'made';
  }
}

@Module({ imports: [IdentityModule], controllers: [ThingsController] })
class ThingsModule {}

describe('a request that is none', () => {
  let service: RunningService;

  beforeAll(async () => {
    const definition = { title: 'Demo', module: ThingsModule, http: { headersTimeoutMs: 2_000 } };
    service = await startService(definition, config);
  });
  afterAll(() => service.stop());

  const open = (): Socket => connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });

  /** All that comes until the service ends the connection. */
  const answerTo = async (...parts: string[]): Promise<{ status: number; head: string; body: unknown }> => {
    const socket = open().setNoDelay(true);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const closed = once(socket, 'close');
    for (const part of parts) await new Promise((written) => socket.write(part, written));
    await closed;
    expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) as unknown };
  };

  const start = 'GET /v3/things HTTP/1.1\r\nhost: x\r\n';
  const post = start.replace('GET', 'POST');

  it.each<[string, number, string, string[]]>([
    ['no HTTP', 400, 'bad_request', ['HELLO\r\n\r\n']],
    ['without a host', 400, 'bad_request', ['GET /v3/things HTTP/1.1\r\nconnection: close\r\n\r\n']],
    ['with a header that is none', 400, 'bad_request', [`${start}a b: c\r\n\r\n`]],
    ['with two lengths', 400, 'bad_request', [`${post}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`]],
    ['in chunks that are none', 400, 'bad_request', [`${post}transfer-encoding: chunked\r\n\r\n`, 'zz\r\n']],
    ['with a URL of 20,000 characters', 400, 'validation_error', [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`]],
    ['with a URL in pieces', 400, 'validation_error', ['GET /', 'x'.repeat(10_000), 'x'.repeat(10_000)]],
    ['with headers of 20,000 bytes', 400, 'validation_error', [`${start}cookie: ${'x'.repeat(20_000)}\r\n\r\n`]],
    ['whose head does not come', 408, 'request_timeout', [start]],
  ])('%s: %s %s as the error object, and the connection ends', async (_what, code, type, parts) => {
    const { status, head, body } = await answerTo(...parts);
    expect([status, body]).toEqual([
      code,
      { object: 'error', code, type, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect(head).toContain(`\r\nx-request-id: ${(body as { request_id: string }).request_id}\r\n`);
    expect(head).toMatch(/\r\nconnection: close/i);
  });

  it('an unknown expectation is ignored: the request is answered', async () => {
    const socket = open().setEncoding('utf8');
    socket.write(`${start}expect: more\r\nconnection: close\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await once(socket, 'close');
  });
});
