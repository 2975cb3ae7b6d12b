import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { Pull } from '../src/connections/pull.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import { Keys } from '../src/queue/keys.js';
import { type Answer, type Customer, TestSystem, numbers, payloads } from './test-system.js';

const shards = 4;

describe('long polling', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('pull');
    service = await system.startReplica();
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
  });

  afterEach(() => system.clock.resume());

  const poll = (query = '', signal?: AbortSignal): Promise<Answer> =>
    system.call(service, customer, 'GET', `pull${query}`, undefined, signal ? { signal } : {});

  const connectToService = (): Socket => connect(Number(new URL(service.url).port), '127.0.0.1');

  /** The text of a poll, for a connection of the test's own. */
  const pollText = (query = ''): string => {
    const head = Object.entries({ host: 'dispatcher', ...system.identity(customer) })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    return `GET /v2/notification/pull${query} HTTP/1.1\r\n${head}\r\n`;
  };

  const head = (): Promise<Response> =>
    fetch(`${service.url}/v2/notification/pull?noWait=true`, { method: 'HEAD', headers: system.identity(customer) });

  const valuesOf = ({ text }: Answer): string[] => payloads(eventsOf([parseMessage(text)], 'notifications'));

  /** All that comes until there is nothing more. */
  const drain = async (): Promise<string[]> => {
    const all: string[] = [];
    for (;;) {
      const answer = await poll('?noWait=true');
      if (answer.status === 204) return all;
      all.push(...valuesOf(answer));
    }
  };

  it('204 at once with noWait; 200 with what is there, in order', async () => {
    expect((await poll('?noWait=true')).status).toBe(204);
    await system.values(customer, 0, 30);
    const all: string[] = [];
    await eventually(async () => {
      all.push(...(await drain()));
      expect(all).toEqual(numbers(0, 30));
    });
    expect((await poll('?noWait=true')).status).toBe(204);
  });

  describe('PUT gives the channel its options', () => {
    const configure = (body?: unknown): Promise<Answer> => system.call(service, customer, 'PUT', 'pull', body);
    const options = { type: 'v2', max_chunk_size: 2, cfg: { include_original_ep: true, include_uid: true } };

    it('201 before the first poll: events have what was asked for', async () => {
      const made = await configure({ serialization: options });
      expect(made).toMatchObject({ status: 201, body: { serialization: options, queue_size: 0 } });
      await system.values(customer, 0, 3);
      const events = await eventually(async () => {
        const { status, text } = await poll('?noWait=true');
        expect(status).toBe(200);
        return eventsOf([parseMessage(text)], 'notifications');
      });
      expect([1, 2]).toContain(events.length);
      for (const event of events)
        expect(event).toMatchObject({ 'original-ep': expect.any(String), uid: expect.any(String) });
    });

    it('200 afterwards: the queue is kept, and options that are not given stay', async () => {
      await poll('?noWait=true');
      await system.values(customer, 0, 3);
      await eventually(async () => expect((await configure()).body).toMatchObject({ queue_size: 3 }));
      expect(await configure({ serialization: options })).toMatchObject({ status: 200, body: { queue_size: 3 } });
      expect(await configure({})).toMatchObject({ status: 200, body: { serialization: options } });
      expect(await drain()).toEqual(numbers(0, 3));
    });

    it('400 for what is no option, and where the key has a channel of another kind', async () => {
      expect((await configure({ serialization: { max_chunk_size: 0 } })).status).toBe(400);
      expect((await configure({ serialisation: options })).status).toBe(400);
      await system.call(service, customer, 'PUT', 'websocket', {});
      expect((await configure({ serialization: options })).status).toBe(400);
    });
  });

  it('waits for the first event', async () => {
    await poll('?noWait=true');
    const waiting = poll();
    await eventually(async () => expect((await poll('?noWait=true')).status).toBe(409));
    await system.value(customer, 'news');
    expect(valuesOf(await waiting)).toEqual(['news']);
  });

  it('204 after 30 s without an event', async () => {
    await poll('?noWait=true');
    system.clock.slowDown();
    const waiting = poll();
    await eventually(async () => expect((await poll('?noWait=true')).status).toBe(409));
    system.clock.jump(29_000);
    expect((await poll('?noWait=true')).status).toBe(409);
    system.clock.jump(1_000);
    expect(await waiting).toMatchObject({ status: 204, text: '' });
    await system.value(customer, 'later');
    await eventually(async () => expect(valuesOf(await poll('?noWait=true'))).toEqual(['later']));
  });

  it('409 while another poll of the key is open; the open one gets its event', async () => {
    await poll('?noWait=true');
    const waiting = poll();
    await eventually(async () =>
      expect(await poll('?noWait=true')).toMatchObject({ status: 409, text: 'POLL_ALREADY_OPEN' }),
    );
    await system.value(customer, 1);
    expect((await waiting).status).toBe(200);
  });

  it('a client that gives up loses nothing', async () => {
    await poll('?noWait=true');
    const giveUp = new AbortController();
    const waiting = poll('', giveUp.signal);
    await eventually(async () => expect((await poll('?noWait=true')).status).toBe(409));
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
    await system.value(customer, 'kept');
    await eventually(async () => expect(valuesOf(await poll('?noWait=true'))).toEqual(['kept']));
  });

  describe('an answer that is not taken', () => {
    const large = numbers(0, 36).map((number) => number.padEnd(80_000, '.'));

    let client: Socket;

    /** A client that asks for as much as one answer holds, and reads nothing of it. */
    beforeEach(async () => {
      system.clock.slowDown();
      await poll('?noWait=true');
      const deviceId = newId();
      for (const value of large) await system.value(customer, value, deviceId);
      const counters = new Keys(system.isolation.redisPrefix, shards).ofChannel(customer.keyId).channel(customer.keyId);
      await eventually(async () => expect(await system.redis.hget(counters, 'n')).toBe(String(large.length)));
      client = connectToService().pause();
      client.on('error', () => undefined);
      const asked = pollText('?after=0');
      // Again and again on the same connection, until the buffers of both sides are full.
      await eventually(async () => {
        client.write(asked);
        expect((await poll('?noWait=true&after=0')).status).toBe(409);
      });
    });

    afterEach(() => void client.destroy());

    it('counts as a message on its way until it ends', async () => {
      const budget = service.app.get(BodyBudget);
      const bytesMax = budget.bodyBytesMax;
      // Messages become small above this.
      const isOver = budget.begin(96 * 1024 * 1024);
      try {
        await eventually(() => expect(budget.bodyBytesMax).toBeLessThan(bytesMax));
        system.clock.jump(20_000);
        await eventually(() => expect(budget.bodyBytesMax).toBe(bytesMax));
      } finally {
        isOver();
      }
    });

    it('for 20 s ends, and its events stay', async () => {
      system.clock.jump(19_000);
      expect((await poll('?noWait=true')).status).toBe(409);
      system.clock.jump(1_000);
      const again = await eventually(async () => {
        const answer = await poll('?noWait=true');
        return answer.status === 200 && answer;
      });
      expect(valuesOf(again as Answer)).toEqual(large);
    });
  });

  it('an answer that was sent does not stay in memory with its connection', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const bodies: WeakRef<Buffer>[] = [];
    const pull = service.app.get(Pull);
    const original = pull.poll.bind(pull);
    pull.poll = async (...wanted) => {
      const found = await original(...wanted);
      if (found) bodies.push(new WeakRef(found.body));
      return found;
    };
    const client = connectToService();
    try {
      await poll('?noWait=true');
      let text = '';
      client.on('data', (bytes) => (text += String(bytes)));
      client.write(pollText());
      await system.value(customer, 'sent');
      await eventually(() => expect(text).toContain(Buffer.from('sent').toString('base64')));
      await eventually(() => {
        collectGarbage();
        expect(bodies.map((body) => body.deref() === undefined)).toEqual([true]);
      });
      expect(client.closed).toBe(false);
    } finally {
      Reflect.deleteProperty(pull, 'poll');
      client.destroy();
    }
  });

  it('an answer whose connection breaks in the moment in which it is sent is sent again', async () => {
    await poll('?noWait=true');
    await system.value(customer, 'kept');
    const counters = new Keys(system.isolation.redisPrefix, shards).ofChannel(customer.keyId).channel(customer.keyId);
    await eventually(async () => expect(await system.redis.hget(counters, 'n')).toBe('1'));
    const server: Server = service.app.getHttpServer();
    server.prependOnceListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      response.once('finish', () => socket.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' })));
    });
    await poll('?noWait=true').catch(() => undefined);
    await eventually(async () => expect(valuesOf(await poll('?noWait=true'))).toEqual(['kept']));
  });

  it('an answer that did not arrive is repeated to the client that asks for it, and to no other', async () => {
    await poll('?noWait=true');
    await system.value(customer, 'missed');
    const at = ({ headers }: Answer): string => /[?&]after=([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    let first: Answer | undefined;
    await eventually(async () => {
      first = await poll('?noWait=true&after=0');
      expect(valuesOf(first)).toEqual(['missed']);
    });
    const again = await poll('?noWait=true&after=0');
    expect(valuesOf(again)).toEqual(['missed']);
    expect(at(again)).toBe(at(first as Answer));
    expect((await poll(`?noWait=true&after=${at(again)}`)).status).toBe(204);
    await system.value(customer, 'next');
    await eventually(async () => expect(valuesOf(await poll(`?noWait=true&after=${at(again)}`))).toEqual(['next']));
    expect(valuesOf(await poll(`?noWait=true&after=${at(again)}`))).toEqual(['next']);
    expect((await poll('?noWait=true')).status).toBe(204);
    expect((await poll('?noWait=true&after=nonsense')).status).toBe(204);
  });

  it('HEAD makes no channel: 405', async () => {
    expect((await head()).status).toBe(405);
    expect((await system.call(service, customer, 'GET', 'channel')).status).toBe(404);
  });

  it('HEAD takes nothing', async () => {
    await poll('?noWait=true');
    await system.value(customer, 'kept');
    const counters = new Keys(system.isolation.redisPrefix, shards).ofChannel(customer.keyId).channel(customer.keyId);
    await eventually(async () => expect(await system.redis.hget(counters, 'n')).toBe('1'));
    await head();
    expect(valuesOf(await poll('?noWait=true'))).toEqual(['kept']);
  });

  it('410 when the channel is deleted meanwhile; REMOVED, then ALREADY_DELETED', async () => {
    await poll('?noWait=true');
    const waiting = poll();
    await eventually(async () => expect((await poll('?noWait=true')).status).toBe(409));
    const remove = (): Promise<Answer> => system.call(service, customer, 'DELETE', 'pull');
    expect(await remove()).toMatchObject({ status: 200, text: 'REMOVED' });
    expect(await waiting).toMatchObject({ status: 410, text: 'CHANNEL_DELETED' });
    expect(await remove()).toMatchObject({ status: 200, text: 'ALREADY_DELETED' });
  });

  it('a poll that waits for the one before does not bring back a channel that is deleted meanwhile', async () => {
    await poll('?noWait=true');
    const waiting = poll();
    await eventually(async () => expect((await poll('?noWait=true')).status).toBe(409));
    const behind = poll('?noWait=true');
    expect((await system.call(service, customer, 'DELETE', 'pull')).text).toBe('REMOVED');
    expect((await waiting).status).toBe(410);
    // 409 when deleting took longer than a poll waits for another.
    expect([409, 410]).toContain((await behind).status);
    expect((await system.call(service, customer, 'GET', 'channel')).status).toBe(404);
  });
});
