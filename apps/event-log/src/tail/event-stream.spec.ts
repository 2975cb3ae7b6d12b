import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { eventually, TestClock } from '@lanyard/testing';
import { EventStream, type StreamParts } from './event-stream.js';
import type { Place } from '../query/stored-events.js';
import { closeLingerMs, heartbeatMs, readPeriodMs, slowClientMs } from './limits.js';

type Page = Awaited<ReturnType<StreamParts['read']>>;

const placeAt = (position: number): Place => ({ position: String(position), id: `e${position}` });

const page = (from: number, count: number, hasMore: boolean): Page => ({
  events: Array.from({ length: count }, (_, n) => ({ id: `e${from + n}`, record: '{}' })),
  place: placeAt(from + count - 1),
  hasMore,
});

const follow = <C extends Writable>(pages: Page[], client: C) => {
  const clock = new TestClock();
  const asked: string[] = [];
  const read = async (place: Place): Promise<Page> => {
    asked.push(place.position);
    return pages.shift() ?? { events: [], place, hasMore: false };
  };
  return { clock, client, asked, follower: new EventStream({ clock, client, read }) };
};

describe('a stream of entries', () => {
  it('reads until a page is not full, then when it is notified, and not too often', async () => {
    const { clock, asked, client, follower } = follow(
      [page(1, 2, true), page(3, 1, false), page(4, 1, false)],
      new PassThrough(),
    );
    const run = follower.run(placeAt(0));
    await clock.advance(0);
    expect(asked).toEqual(['0', '2']);
    follower.notify();
    await clock.advance(readPeriodMs - 1);
    expect(asked).toEqual(['0', '2']);
    await clock.advance(1);
    expect(asked).toEqual(['0', '2', '3']);
    await clock.advance(readPeriodMs);
    follower.notify();
    await clock.advance(0);
    expect(asked.at(-1)).toBe('4');
    const ids = [...String(client.read()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(ids).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
    client.destroy();
    await run;
  });

  it('shows that it lives, and with which id to come back', async () => {
    const elsewhere = { events: [], place: placeAt(7), hasMore: false };
    const { clock, client, follower } = follow([elsewhere], new PassThrough());
    const run = follower.run(placeAt(0));
    for (const ms of [0, readPeriodMs, heartbeatMs]) await clock.advance(ms);
    expect(String(client.read())).toMatch(/^retry: \d+\nid: e0\n\nid: e7\n: alive\n\n$/);
    client.destroy();
    await run;
  });

  it('shows that it lives while entries come that the filters exclude', async () => {
    const { clock, client, follower } = follow([], new PassThrough());
    const run = follower.run(placeAt(0));
    await clock.advance(0);
    for (let ms = 0; ms < 2 * heartbeatMs; ms += 1_000) {
      follower.notify();
      await clock.advance(1_000);
    }
    expect(String(client.read())).toMatch(/^retry: \d+\nid: e0\n\n(?:id: e0\n: alive\n\n){2}$/);
    client.destroy();
    await run;
  });

  it('gives an id to come back with behind each part of the log that has nothing for the client', async () => {
    const nothingTo = (position: number): Page => ({ events: [], place: placeAt(position), hasMore: true });
    const { clock, asked, client, follower } = follow(
      [nothingTo(20), nothingTo(40), page(60, 1, false)],
      new PassThrough(),
    );
    const run = follower.run(placeAt(0));
    await clock.advance(0);
    expect(asked).toEqual(['0', '20', '40']);
    expect(String(client.read())).toMatch(/^retry: \d+\nid: e0\n\nid: e20\n\nid: e40\n\nid: e60\ndata: {}\n\n$/);
    client.destroy();
    await run;
  });

  it('holds one page for a client that does not read, asks for no other, and lets go of it', async () => {
    const taken: (() => void)[] = [];
    const client = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void taken.push(done) });
    const { clock, asked, follower } = follow([page(1, 2, true), page(3, 2, true)], client);
    const run = follower.run(placeAt(0));
    taken.shift()?.();
    await clock.advance(0);
    expect(asked).toEqual(['0']);
    await clock.advance(slowClientMs - 1);
    expect([asked, client.destroyed]).toEqual([['0'], false]);
    await clock.advance(1);
    expect([asked, client.destroyed]).toEqual([['0'], true]);
    await run;
  });

  it('ends at once for a client that has left before', async () => {
    const client = new PassThrough();
    client.destroy();
    await once(client, 'close');
    const { asked, follower } = follow([page(1, 1, false)], client);
    await follower.run(placeAt(0));
    expect(asked).toEqual([]);
  });

  it('listens once to a client that is often slow', async () => {
    const client = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => process.nextTick(done) });
    const pages = Array.from({ length: 20 }, (_, n) => page(n + 1, 1, n < 19));
    const { asked, follower } = follow(pages, client);
    const run = follower.run(placeAt(0));
    const events = ['close', 'error', 'drain'];
    await eventually(() => {
      expect(asked).toHaveLength(20);
      expect(events.map((event) => client.listenerCount(event))).toEqual([1, 1, 0]);
    });
    client.destroy();
    await run;
  });

  it('says why it ends', async () => {
    const { clock, client, follower } = follow([], new PassThrough());
    const run = follower.run(placeAt(0));
    await clock.advance(0);
    follower.endWithReason('restart');
    await run;
    expect(String(client.read())).toContain('event: end\ndata: {"reason":"restart"}');
  });

  it('closes a client that does not leave by itself, and only that one', async () => {
    const closed: Writable[] = [];
    const streams = [new PassThrough(), new PassThrough()].map((client) => {
      const destroy = client.destroy.bind(client);
      client.destroy = (error) => {
        closed.push(client);
        return destroy(error);
      };
      return follow([], client);
    });
    for (const { follower } of streams) follower.endWithReason('restart');
    const [leaving, staying] = streams;
    leaving!.client.resume();
    await once(leaving!.client, 'close');
    closed.length = 0;
    for (const { clock } of streams) await clock.advance(closeLingerMs);
    expect(closed.map((client) => client === staying!.client)).toEqual([true]);
  });
});
