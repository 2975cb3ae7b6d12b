import { serve } from '@lanyard/testing';
import { expect, it } from '@jest/globals';
import { deliver } from './delivery.js';

it('a message is sent again until it is answered as the service asks of a callback', async () => {
  const statuses = [201, 200];
  const { url, stop } = await serve((request, response) => {
    request.resume();
    response.writeHead(statuses.shift() ?? 500).end();
  });
  const problems: string[] = [];
  const target = { url, method: 'PUT', secret: undefined, headers: {} };
  const events = { onFailed: (problem: string) => problems.push(problem), keepAlive: () => Promise.resolve() };
  const isDelivered = await deliver(target, { next: '1', body: '{}' }, new AbortController().signal, events);
  stop();
  expect([isDelivered, problems, statuses]).toEqual([true, ['status 201'], []]);
});
