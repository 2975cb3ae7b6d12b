import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually, type LocalHttpServer, serve } from '@lanyard/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { InvalidKey, Lanyard, type LanyardError, NotFound, TailEnded } from './index.js';
import { Http } from './http.js';
import { Tail, type TailOptions } from './tail.js';

/** What one connection is answered. */
type Answer = (response: ServerResponse) => void;

/** Where the stream begins, as the service says it first. */
const beginning = (id = 'e0'): string => `retry: 10\nid: ${id}\n\n`;
const entry = (n: number): string => `id: e${n}\ndata: {"object":"device-event","id":"e${n}"}\n\n`;

/** Begins a stream, which stays open. */
const says =
  (...parts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(beginning() + parts.join(''));
  };

/** The same, and breaks off. */
const breaksAfter =
  (...parts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(beginning() + parts.join(''), () => setTimeout(() => response.destroy(), 20));
  };

const refuses =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status).end();

describe('the log as a stream', () => {
  let server: LocalHttpServer | undefined;
  const requests: IncomingMessage[] = [];
  const open: ServerResponse[] = [];

  /** Gives the answers in turn, the last one again and again. */
  const serving = async (...answers: [Answer, ...Answer[]]): Promise<string> => {
    server?.stop();
    requests.length = 0;
    open.length = 0;
    server = await serve((request, response) => {
      requests.push(request);
      open.push(response);
      response.once('close', () => {
        const at = open.indexOf(response);
        if (at >= 0) open.splice(at, 1);
      });
      (answers.length > 1 ? answers.shift() : answers[0])?.(response);
    });
    return server.url;
  };
  const tail = async (answers: [Answer, ...Answer[]], options: TailOptions = {}) =>
    new Lanyard({ baseUrl: await serving(...answers), key: 'ak_1x' }).tail(options);

  /** Ids of so many entries; then the loop is left. */
  const take = async (entries: AsyncGenerator<{ id: string }>, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of entries) if (ids.push(id) === count) break;
    return ids;
  };
  const lastIds = (): unknown[] => requests.map(({ headers }) => headers['last-event-id']);

  afterEach(() => server?.stop());

  it('is asked for with filters, and from behind an entry', async () => {
    const options = { filters: { device_id: 'd', event_code__in: 'SYS_105,SYS_106' }, after: 'e7' };
    expect(await take(await tail([says(entry(8))], options), 1)).toEqual(['e8']);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v3/device-events/stream?device_id=d&event_code__in=SYS_105%2CSYS_106',
    ]);
    expect(requests[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'last-event-id': 'e7' });
  });

  it('continues after the last complete entry, over lost connections and outages', async () => {
    const lost: LanyardError[] = [];
    const answers: [Answer, ...Answer[]] = [
      breaksAfter(entry(1), entry(2), entry(3).slice(0, -1)),
      refuses(503),
      says(entry(3), entry(4)),
    ];
    const entries = await tail(answers, { onLost: (error) => lost.push(error) });
    expect(await take(entries, 4)).toEqual(['e1', 'e2', 'e3', 'e4']);
    expect(lastIds()).toEqual([undefined, 'e2', 'e2']);
    expect(lost.map(({ name }) => name)).toEqual(['NoAnswer', 'ServiceUnavailable']);
  });

  it('comes back with the id that the service gave, when nothing came', async () => {
    const entries = await tail([breaksAfter(), breaksAfter('id: e5\n: alive\n\n'), says(entry(6))]);
    expect(await take(entries, 1)).toEqual(['e6']);
    expect(lastIds()).toEqual([undefined, 'e0', 'e5']);
  });

  it('is there when the service has said where it begins', async () => {
    const silent: Answer = (response) => void response.writeHead(200).flushHeaders();
    const baseUrl = await serving(silent, says(entry(1)));
    const lanyard = new Lanyard({ baseUrl, key: 'k', timeoutMs: 2_000 });
    expect(await take(await lanyard.tail(), 1)).toEqual(['e1']);
    expect(lastIds()).toEqual([undefined, undefined]);
  });

  it('comes back when the service restarts, and not when the key is revoked', async () => {
    const end = (reason: string): string => `event: end\ndata: {"reason":"${reason}"}\n\n`;
    const entries = await tail([says(end('restart')), says(entry(1), end('key_revoked'))]);
    expect(await entries.next()).toMatchObject({ value: { id: 'e1' } });
    await expect(entries.next()).rejects.toThrow(TailEnded);
    expect(requests).toHaveLength(2);
  });

  it('that is refused is an error: at once, or of the loop when it cannot continue', async () => {
    await expect(tail([refuses(401)])).rejects.toThrow(InvalidKey);
    const entries = await tail([breaksAfter(entry(1)), refuses(404)]);
    expect(await entries.next()).toMatchObject({ value: { id: 'e1' } });
    // An entry that the log does not have any more: what came since is not known.
    await expect(entries.next()).rejects.toThrow(NotFound);
  });

  it('on which nothing comes is connected again', async () => {
    const baseUrl = await serving(says(entry(1)), says(entry(2)));
    const http = new Http({ baseUrl, key: 'k', timeoutMs: 5_000, retries: 0, fetch: globalThis.fetch });
    expect(await take(await new Tail(http, {}, 1_000).open(), 2)).toEqual(['e1', 'e2']);
    expect(lastIds()).toEqual([undefined, 'e1']);
  });

  it('is connected again soon after the computer slept, although timers stood still meanwhile', async () => {
    const baseUrl = await serving(says(entry(1)), says(entry(2)));
    const http = new Http({ baseUrl, key: 'k', timeoutMs: 5_000, retries: 0, fetch: globalThis.fetch });
    const entries = await new Tail(http, {}, 60_000).open();
    expect(await entries.next()).toMatchObject({ value: { id: 'e1' } });
    const next = entries.next();
    await new Promise(setImmediate);
    const wallClock = Date.now;
    Date.now = () => wallClock() + 3_600_000;
    try {
      const wokenAtMs = performance.now();
      expect(await next).toMatchObject({ value: { id: 'e2' } });
      expect(performance.now() - wokenAtMs).toBeLessThan(45_000);
    } finally {
      Date.now = wallClock;
    }
    await entries.return(undefined);
  });

  it('lasts longer than a request may take', async () => {
    const baseUrl = await serving((response) => {
      says(entry(1))(response);
      setTimeout(() => response.write(entry(2)), 3_000);
    });
    expect(await take(await new Lanyard({ baseUrl, key: 'k', timeoutMs: 2_000 }).tail(), 2)).toEqual(['e1', 'e2']);
    expect(requests).toHaveLength(1);
  });

  it.each([1, 2])('ends with what the application throws when it is told of connection %i', async (last) => {
    let connections = 0;
    const onOpen = (): void => {
      if (++connections === last) throw new Error('of the application');
    };
    const all = async (): Promise<void> => {
      const entries = await tail([breaksAfter(entry(1)), says(entry(2))], { onOpen });
      await take(entries, 2);
    };
    await expect(all()).rejects.toThrow('of the application');
    expect(requests).toHaveLength(last);
    await eventually(() => expect(open).toHaveLength(0));
  });

  it('ends with its signal, and its connection with the loop', async () => {
    const stop = new AbortController();
    const entries = await tail([says(entry(1))], { signal: stop.signal });
    expect(await entries.next()).toMatchObject({ value: { id: 'e1' } });
    const next = entries.next();
    stop.abort();
    expect(await next).toEqual({ value: undefined, done: true });
    const others = await tail([says(entry(1))]);
    await take(others, 1);
    await eventually(() => expect(open).toHaveLength(0));
    expect(requests).toHaveLength(1);
  });
});
