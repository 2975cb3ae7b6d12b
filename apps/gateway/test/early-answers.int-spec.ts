import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

/** More than the buffers of connections take. */
const body = Buffer.alloc(32 * 1_048_576, 'x');

describe('a service that answers before it has read the body', () => {
  let gateway: TestSystem;
  let registry: Upstream;

  beforeAll(async () => {
    registry = await new Upstream().listen();
    gateway = await (await TestSystem.corner('early-answers')).start({ GATEWAY_REGISTRY_URLS: registry.url });
    registry.handler = (_request, response) => void response.writeHead(409, { 'content-length': '0' }).end();
  });
  afterAll(async () => {
    await gateway?.stop();
    await registry?.stop();
  });

  it('is heard by a client that reads only when it has sent everything, and whose connection stays', async () => {
    const socket = connect(Number(new URL(gateway.service.url).port), '127.0.0.1');
    const key = `authorization: Bearer ${gateway.adminKey}\r\n`;
    socket.write(`POST /v3/device-imports HTTP/1.1\r\nhost: a\r\n${key}content-length: ${body.length}\r\n\r\n`);
    await new Promise<void>((sent) => socket.write(body, () => sent()));
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    await once(socket, 'close');
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 409', 'HTTP/1.1 200']);
  });
});
