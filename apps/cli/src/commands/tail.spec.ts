import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Lanyard } from '@lanyard/client';
import { Command } from 'commander';
import { afterEach, expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { addTail } from './tail.js';

const entry = { id: 'e9', date_time: '2030-01-02T03:04:05.000000Z', event_code: 'SYS_106', description: 'Registered' };

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Runs `tail` until it has asked for the stream. Resolves to the places from which it asked. */
const startsOf = async (last: string, data: readonly object[]): Promise<unknown[]> => {
  const stop = new AbortController();
  const starts: unknown[] = [];
  server = createServer(({ url = '', headers }, response) => {
    if (!url.startsWith('/v3/device-events/stream')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ object: 'list', data, has_more: false }));
    }
    starts.push(headers['last-event-id']);
    stop.abort();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session: Session = {
    ...{ url, key: 'ak_1x', signal: stop.signal, onLost: () => undefined },
    lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x' }),
    out: new Output(new PassThrough(), new PassThrough(), { json: false, quiet: false, colour: false }),
  };
  const program = new Command();
  addTail(program, { session: () => session } as unknown as Cli);
  await program.parseAsync(['tail', '--last', last], { from: 'user' });
  return starts;
};

it.each([
  ['after the newest entry that it printed', '5', [entry], 'e9'],
  ['at the beginning of the log if it found no entry, so that it misses none that is stored meanwhile', '5', [], '0'],
  ['with new entries if it was to print none', '0', [], undefined],
])('begins %s', async (_, last, data, start) => {
  expect(await startsOf(last, data)).toEqual([start]);
});
