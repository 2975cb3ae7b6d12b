import { expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
import { addTail } from './tail.js';

const entry = { id: 'e9', date_time: '2030-01-02T03:04:05.000000Z', event_code: 'SYS_106', description: 'Registered' };

/** Runs `tail` until it has asked for the stream. Resolves to the places from which it asked. */
const startsOf = async (last: string, data: readonly object[]): Promise<unknown[]> => {
  const stop = new AbortController();
  const starts: unknown[] = [];
  const bench = new CommandBench(
    ({ url = '', headers }, response) => {
      if (!url.startsWith('/v3/device-events/stream')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ object: 'list', data, has_more: false }));
      }
      starts.push(headers['last-event-id']);
      stop.abort();
    },
    { signal: stop.signal },
  );
  await bench.run(addTail, ['tail', '--last', last]);
  return starts;
};

it.each([
  ['after the newest entry that it printed', '5', [entry], 'e9'],
  ['at the beginning of the log if it found no entry, so that it misses none that is stored meanwhile', '5', [], '0'],
  ['with new entries if it was to print none', '0', [], undefined],
])('begins %s', async (_, last, data, start) => {
  expect(await startsOf(last, data)).toEqual([start]);
});

it('prints as many of the last entries as it is told, although a page of large ones has fewer', async () => {
  const bench = new CommandBench(
    ({ url = '' }, response) => {
      const isFirst = !url.includes('after=');
      const data = [isFirst ? entry : { ...entry, id: 'e8' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data, has_more: isFirst }));
    },
    { json: true },
  );
  await bench.run(addTail, ['tail', '--last', '2', '--no-follow']);
  expect(bench.results().match(/"id":"e\d"/g)).toEqual(['"id":"e8"', '"id":"e9"']);
});
