import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem } from './test-system.js';
import { Upstream } from './upstream.js';

/** More than the buffers of connections take. */
const body = Buffer.alloc(32 * 1_048_576, 'x');

/** The same as one chunk of a body of unknown length. */
const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

const announced = `content-length: ${body.length}`;
const unknown = 'transfer-encoding: chunked';

describe('an answer before the whole body has been read', () => {
  let gateway: TestSystem;
  let registry: Upstream;

  beforeAll(async () => {
    registry = await new Upstream().listen();
    gateway = await (await TestSystem.corner('early-answers')).start({ GATEWAY_REGISTRY_URLS: registry.url });
    registry.handler = (request, response) => {
      if (request.method === 'POST') response.writeHead(409, { 'content-length': '0' }).end();
      else request.resume();
    };
  });
  afterAll(async () => {
    await gateway?.stop();
    await registry?.stop();
  });

  it.each([
    ['409', 'of a service', 'POST /v3/device-imports', announced],
    ['401', 'of the gateway', 'POST /v3/device-imports', announced],
    ['413', 'of the gateway', 'PUT /v3/devices/a', announced],
    ['413', 'of the gateway while it passes the body on', 'PUT /v3/devices/a', unknown],
  ])('%s %s is heard by a client that reads only when it has sent everything', async (status, _, line, length) => {
    const socket = connect(Number(new URL(gateway.service.url).port), '127.0.0.1');
    const key = status === '401' ? '' : `authorization: Bearer ${gateway.adminKey}\r\n`;
    socket.write(`${line} HTTP/1.1\r\nhost: a\r\n${key}${length}\r\n\r\n`);
    await new Promise<void>((sent) => socket.write(length === unknown ? chunked : body, () => sent()));
    // The connection stays.
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    await once(socket, 'close');
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
  });
});
