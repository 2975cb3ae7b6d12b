import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { toServiceError } from './error-filter.js';

it('a body that its client cuts off is no outage', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nhalf');
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const read = buffer(request).catch((error: unknown) => error);
  client.destroy();
  expect(toServiceError(await read)).toMatchObject({ status: 400, code: 'bad_request' });
  server.close();
});
