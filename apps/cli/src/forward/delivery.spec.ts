import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { deliver } from './delivery.js';

it('a message is sent again until it is answered as the service asks of a callback', async () => {
  const statuses = [201, 200];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(statuses.shift() ?? 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const problems: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { url, method: 'PUT', secret: undefined, headers: {} };
  const events = { onFailed: (problem: string) => problems.push(problem), keepAlive: () => Promise.resolve() };
  const isDelivered = await deliver(target, { next: '1', body: '{}' }, new AbortController().signal, events);
  server.closeAllConnections();
  server.close();
  expect([isDelivered, problems, statuses]).toEqual([true, ['status 201'], []]);
});
