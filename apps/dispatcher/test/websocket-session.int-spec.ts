import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Category } from '@lanyard/contracts';
import { eventually } from '@lanyard/testing';
import type { WebSocket } from 'ws';
import { BodyBuffers } from '../src/delivery/body-buffers.js';
import {
  bodyBytesMax,
  pingTimeoutMs,
  socketBytesPerSecondMin,
  socketMessageBytesMax,
  socketWindowBytes,
} from '../src/limits.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import type { Attached, ChannelQueue, Hold } from '../src/queue/channel-queue.js';
import { type SessionListener, type SessionParts, WebSocketSession } from '../src/connections/websocket-session.js';
import { accountId, hourMs, queueBench } from './queue-bench.js';

/** A client that takes everything, and answers a ping when it is told to. */
class SlowClient extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly pings: Buffer[] = [];
  messages = 0;
  /** Bytes of the largest message. */
  largest = 0;
  closedAs: string | undefined;
  answersClose = true;

  send({ length }: Buffer, _: object, sent: () => void): void {
    this.messages++;
    this.largest = Math.max(this.largest, length);
    sent();
  }

  ping(data: Buffer, _: boolean, sent: () => void): void {
    this.pings.push(data);
    sent();
  }

  answer(ping: Buffer | undefined): void {
    this.emit('pong', ping);
  }

  close(_: number, cause: string): void {
    this.closedAs = cause;
    if (this.answersClose) this.leave();
    else this.readyState = 2;
  }

  leave(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

describe('a WebSocket whose client is slow', () => {
  const bench = queueBench();
  const { register, append, event, numbered, expectCountersToBeRight } = bench;
  const connection = { cork: () => undefined, uncork: () => undefined };

  const attach = async (queue = bench.queue, conn = 'c1'): Promise<Extract<Attached, { outcome: 'ok' }>> => {
    const how = { conn, mode: 'newest', kind: 'websocket' } as const;
    const attached = await queue.attach(bench.channelId, accountId, how);
    if (attached.outcome !== 'ok') throw new Error(attached.outcome);
    return attached;
  };

  /** The queue, some of whose methods are replaced. */
  const queueWith = (replaced: Partial<SessionParts['queue']>, queue = bench.queue): SessionParts['queue'] => ({
    attach: (...args) => queue.attach(...args),
    confirm: (...args) => queue.confirm(...args),
    readBatch: (...args) => queue.readBatch(...args),
    readPushed: (...args) => queue.readPushed(...args),
    ...replaced,
  });

  const sessionOf = (
    client: SlowClient,
    listener: Partial<SessionListener>,
    queue: SessionParts['queue'] = bench.queue,
    budget = new BodyBudget(),
  ): WebSocketSession =>
    new WebSocketSession(
      { socket: client as unknown as WebSocket, connection },
      { channelId: bench.channelId, accountId, conn: 'c1', address: '192.0.2.7' },
      {
        queue,
        bodies: new BodyBuffers(budget),
        clock: bench.clock,
        holders: { areSuspended: false },
      },
      {
        sent: () => undefined,
        left: () => undefined,
        delivered: () => undefined,
        attachedAgain: () => undefined,
        ended: () => undefined,
        failed: (error) => {
          throw error;
        },
        ...listener,
      },
    );

  it('what a limit took away between what was sent counts as dropped, also when all of that is confirmed at once', async () => {
    await register({ kind: 'websocket', eventsMax: 100 });
    await append(numbered(7_000));
    await bench.clock.advance(20 * hourMs);
    await append(numbered(100));
    const attached = await attach();
    const client = new SlowClient();
    let delivered = 0;
    const session = sessionOf(client, { delivered: (events) => (delivered += events) });
    session.start(attached.hold, attached.cursor);
    // The window: events 0 to 6399.
    await eventually(() => expect(client.messages).toBe(64));
    await bench.clock.advance(5 * hourMs);
    client.answer(client.pings[0]);
    // Behind it, the events that are young enough: 7000 to 7099.
    await eventually(() => expect(client.messages).toBe(65));
    await eventually(async () => {
      client.answer(client.pings.at(-1));
      expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 0 });
    });
    expect((await bench.registry.inspect(bench.channelId))?.dropped.age).toBe(600);
    expect(delivered).toBe(6_500);
    await expectCountersToBeRight();
  });

  it.each<[string, () => ChannelQueue, number, readonly Category[]]>([
    ['of alternating categories, stored', () => bench.other, 10_000, ['notifications', 'reg-updates']],
    ['of alternating categories, in memory', () => bench.queue, 10_000, ['notifications', 'reg-updates']],
    ['of a small max_chunk_size, stored', () => bench.other, 1, ['notifications']],
    ['of a small max_chunk_size, in memory', () => bench.queue, 1, ['notifications']],
  ])('gets messages together: %s', async (_, queueOf, eventsMax, categories) => {
    const queue = queueOf();
    await register({ kind: 'websocket', eventsMax });
    const category = (n: number) => categories[n % categories.length] ?? 'notifications';
    for (let n = 0; n < 40; n++) await append([event(`{"n":${n}}`, { category: category(n) })]);
    const attached = await attach(queue);
    const client = new SlowClient();
    let [questions, delivered] = [0, 0];
    const readBatch: ChannelQueue['readBatch'] = (...args) => {
      questions++;
      return queue.readBatch(...args);
    };
    const session = sessionOf(
      client,
      { delivered: (events) => (delivered += events) },
      queueWith({ readBatch }, queue),
    );
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.messages).toBe(40));
    await eventually(() => {
      client.answer(client.pings.at(-1));
      expect(delivered).toBe(40);
    });
    // The second one finds nothing.
    expect(questions).toBeLessThanOrEqual(2);
    await expectCountersToBeRight();
  });

  it.each<[string, (client: SlowClient, session: WebSocketSession) => Promise<unknown>]>([
    [
      'it is sent',
      (client) =>
        eventually(() => {
          client.answer(client.pings.at(-1));
          expect(client.messages).toBe(100);
        }),
    ],
    ['its socket is closed', async (client) => client.leave()],
    [
      'it is too old to be sent',
      async (_, session) => {
        await bench.clock.advance(5_000);
        session.tick(bench.clock.now());
      },
    ],
  ])('what was read for it, and has no room yet, counts as on its way until %s', async (_, end) => {
    await register({ kind: 'websocket' });
    const category = (n: number): Category => (n % 2 ? 'reg-updates' : 'notifications');
    await append(Array.from({ length: 100 }, (_, n) => event(`{"n":${n}}`, { category: category(n) })));
    const attached = await attach();
    const client = new SlowClient();
    const budget = new BodyBudget();
    const session = sessionOf(client, {}, bench.queue, budget);
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.messages).toBe(64));
    // Messages become small above this.
    budget.begin(96 * 1024 * 1024);
    expect(budget.bodyBytesMax).toBeLessThan(bodyBytesMax);
    await end(client, session);
    await eventually(() => expect(budget.bodyBytesMax).toBe(bodyBytesMax));
  });

  it('does not send what was read before a pause, in which the channel may have got another holder', async () => {
    await register({ kind: 'websocket' });
    await append([event('{"n":0}'), event('{"n":1}', { category: 'reg-updates' })]);
    const attached = await attach();
    const client = new SlowClient();
    const session = sessionOf(
      client,
      {},
      queueWith({
        readBatch: async (...args) => {
          const read = await bench.queue.readBatch(...args);
          if (read.outcome === 'ok') await attach(bench.other, 'c2');
          await bench.clock.advance(5_000);
          return read;
        },
      }),
    );
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.closedAs).toBe('newer socket'));
    expect(client.messages).toBe(1);
  });

  it('says that it has its channel again after others took its replica for dead', async () => {
    await register({ kind: 'websocket' });
    await append(numbered(1));
    const attached = await attach();
    const client = new SlowClient();
    let attachedAgain = 0;
    const session = sessionOf(client, { attachedAgain: () => attachedAgain++ });
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.messages).toBe(1));
    expect(attachedAgain).toBe(0);
    // They announce that the channel is disconnected.
    expect(await bench.releaseHeld('a#1')).toEqual([bench.channelId]);
    session.wake();
    await eventually(() => expect(attachedAgain).toBe(1));
    expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: true });
    await eventually(() => expect(client.messages).toBe(2));
  });

  it('is told to come back when a Redis that was lost says that another socket has the channel', async () => {
    await register({ kind: 'websocket' });
    await append(numbered(1));
    const attached = await attach();
    const client = new SlowClient();
    const session = sessionOf(client, {});
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.messages).toBe(1));
    // As when Redis failed over without the claim of this socket, and has that of an older one.
    await attach(bench.other, 'c0');
    session.restart();
    await eventually(() => expect(client.closedAs).toBe('restart'));
  });

  it('gets what waits at the next tick after Redis has refused to give it', async () => {
    await register({ kind: 'websocket' });
    await append(numbered(1));
    const attached = await attach();
    const client = new SlowClient();
    const failures: unknown[] = [];
    const session = sessionOf(
      client,
      { failed: (error) => failures.push(error) },
      queueWith({
        readBatch: async (...args) => {
          if (failures.length === 0) throw new Error('MISCONF Errors writing to the AOF file');
          return bench.queue.readBatch(...args);
        },
      }),
    );
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(failures).toHaveLength(1));
    session.tick(bench.clock.now() + 1_000);
    await eventually(() => expect(client.messages).toBe(1));
  });

  it('has more time to answer a ping that is behind a large message', async () => {
    await register({ kind: 'websocket' });
    await append([event(`{"n":"${'x'.repeat(10 * socketBytesPerSecondMin)}"}`)]);
    const attached = await attach();
    const client = new SlowClient();
    const session = sessionOf(client, {});
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(client.pings).toHaveLength(1));
    const dueMs = bench.clock.now() + pingTimeoutMs + 10_000;
    session.tick(dueMs);
    expect(client.closedAs).toBeUndefined();
    session.tick(dueMs + 1_000);
    expect(client.closedAs).toBe('ping not answered');
  });

  it.each<[string, () => ChannelQueue]>([
    ['stored', () => bench.other],
    ['in memory', () => bench.queue],
  ])('gets no message that takes longer than a ping may: %s', async (_, queueOf) => {
    await register({ kind: 'websocket' });
    const part = 'x'.repeat(socketMessageBytesMax / 5);
    for (let n = 0; n < 10; n++) await append([event(`{"n":${n},"x":"${part}"}`)]);
    const attached = await attach(queueOf());
    const client = new SlowClient();
    let delivered = 0;
    const session = sessionOf(client, { delivered: (events) => (delivered += events) }, queueOf());
    session.start(attached.hold, attached.cursor);
    await eventually(() => {
      client.answer(client.pings.at(-1));
      expect(delivered).toBe(10);
    });
    expect(client.largest).toBeLessThanOrEqual(socketMessageBytesMax);
  });

  it('gets no more large messages than it can read in the time for a ping, and more with each pong', async () => {
    await register({ kind: 'websocket', eventsMax: 1 });
    const megabyte = 'x'.repeat(socketWindowBytes / 2);
    for (let n = 0; n < 4; n++) await append([event(`{"n":${n},"x":"${megabyte}"}`)]);
    const attached = await attach();
    const client = new SlowClient();
    const session = sessionOf(client, {});
    session.start(attached.hold, attached.cursor);
    const isNowSent = async (messages: number): Promise<void> => {
      await eventually(() => expect(client.messages).toBe(messages));
      // Redis has answered what the session asked before this.
      await bench.registry.inspect(bench.channelId);
      expect(client.messages).toBe(messages);
    };
    await isNowSent(2);
    // Each large message has a ping behind it, which does not wait for the pong to the previous one.
    expect(client.pings).toHaveLength(2);
    client.answer(client.pings[0]);
    await isNowSent(3);
    client.answer(client.pings[1]);
    await isNowSent(4);
    expect(client.closedAs).toBeUndefined();
  });

  it('gets everything again without a pause when its channel was lost behind a large message', async () => {
    await register({ kind: 'websocket', eventsMax: 1 });
    await append(numbered(32));
    await append([event(`{"n":32,"x":"${'x'.repeat(socketWindowBytes)}"}`)]);
    const attached = await attach();
    const client = new SlowClient();
    let attachedAgain = 0;
    const session = sessionOf(client, { attachedAgain: () => attachedAgain++ });
    session.start(attached.hold, attached.cursor);
    // A ping follows every 16 messages, and the large one.
    await eventually(() => expect([client.messages, client.pings.length]).toEqual([33, 3]));
    const [first, ...others] = client.pings;
    // As when other replicas take this one for dead.
    await bench.releaseHeld('a#1');
    client.answer(first);
    await eventually(() => expect(attachedAgain).toBe(1));
    for (const ping of others) client.answer(ping);
    await eventually(() => expect(client.messages).toBe(66));
  });

  it('confirms what its pongs prove while a confirmation is under way, also when it is told to come back', async () => {
    await register({ kind: 'websocket', eventsMax: 1 });
    await append(numbered(40));
    const attached = await attach();
    const client = new SlowClient();
    client.answersClose = false;
    let confirmations = 0;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const session = sessionOf(
      client,
      {},
      queueWith({
        confirm: async (...args) => {
          confirmations++;
          await answered;
          return bench.queue.confirm(...args);
        },
      }),
    );
    session.start(attached.hold, attached.cursor);
    // A ping follows every 16 messages.
    await eventually(() => expect([client.messages, client.pings.length]).toEqual([40, 2]));
    const [first, second] = client.pings;
    client.answer(first);
    await eventually(() => expect(confirmations).toBe(1));
    session.close('restart');
    client.answer(second);
    answer();
    await eventually(async () => expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ events: 8 }));
    client.leave();
  });

  it('that leaves while its socket claims its lost channel again does not keep it', async () => {
    await register({ kind: 'websocket' });
    const attached = await attach();
    const client = new SlowClient();
    const free = (hold: Hold | undefined): void => void (hold && bench.queue.release(hold));
    let isClaimed = false;
    const session = sessionOf(
      client,
      { left: free, ended: free },
      queueWith({
        attach: async (...args) => {
          const again = await bench.queue.attach(...args);
          isClaimed = again.outcome === 'ok';
          client.leave();
          return again;
        },
      }),
    );
    // As when other replicas take this one for dead.
    await bench.queue.release(attached.hold);
    session.start(attached.hold, attached.cursor);
    await eventually(() => expect(isClaimed).toBe(true));
    await eventually(async () => expect(await bench.registry.inspect(bench.channelId)).toMatchObject({ held: false }));
  });
});
