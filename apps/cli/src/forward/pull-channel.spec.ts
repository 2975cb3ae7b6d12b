import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Lanyard } from '@lanyard/client';
import { type LocalHttpServer, serve } from '@lanyard/testing';
import { type Message, messages } from './pull-channel.js';

type Answer = (response: ServerResponse) => void;

const message = { registrations: [{ ep: 'd' }] };

const answered: Answer = (response) => {
  const link = '</v2/notification/pull?after=n1>; rel="next"';
  response.writeHead(200, { 'content-type': 'application/json', link }).end(JSON.stringify(message));
};

describe('messages of a pull channel', () => {
  let server: LocalHttpServer | undefined;

  afterEach(() => server?.stop());

  it.each<[string, Answer, number]>([
    ['that arrived too slowly is sent again', (response) => response.writeHead(408).end(), 400],
    ['that is answered at once with nothing waits before the next', (response) => response.writeHead(204).end(), 400],
    ['waits as long as the service asks', (response) => response.writeHead(429, { 'retry-after': '2' }).end(), 1_900],
  ])('a poll %s', async (_, first, leastMs) => {
    const answers = [first, answered];
    server = await serve((_request, response) => answers.shift()?.(response));
    const lanyard = new Lanyard({ baseUrl: server.url, key: 'ak_1x' });
    const found: Message[] = [];
    const startMs = performance.now();
    const options = { signal: new AbortController().signal, onLost: () => undefined };
    for await (const each of messages(lanyard, options)) {
      found.push(each);
      if (found.length === 1) break;
    }
    expect(found).toEqual([{ message, next: 'n1' }]);
    expect(performance.now() - startMs).toBeGreaterThan(leastMs);
    expect(answers).toEqual([]);
  });
});
