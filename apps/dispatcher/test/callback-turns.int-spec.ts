import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { type Customer, TestSystem } from './test-system.js';

const channels = 12;
const eventsEach = 30;

interface Channel {
  customer: Customer;
  receiver: CallbackReceiver;
}

describe('callback channels, more than there are places', () => {
  let system: TestSystem;
  let service: RunningService;

  beforeAll(async () => {
    system = await TestSystem.create('callback-turns');
    service = await system.startReplica('dispatcher-0', { DISPATCHER_CALLBACK_CONCURRENCY: '1' });
  });

  afterAll(() => system?.drop());

  const register = async (accountId?: string): Promise<Channel> => {
    const [customer, receiver] = await Promise.all([system.customer(accountId), new CallbackReceiver().start()]);
    await system.call(service, customer, 'PUT', 'callback', {
      url: receiver.url,
      serialization: { type: 'v2', max_chunk_size: 1 },
    });
    return { customer, receiver };
  };

  const haveQueued = async (all: readonly Channel[], events: number): Promise<void> => {
    for (const { customer } of all)
      await eventually(async () =>
        expect((await system.call(service, customer, 'GET', 'callback')).body).toMatchObject({ queue_size: events }),
      );
  };

  it('each gets its turn before another one is empty, whichever shard they are in', async () => {
    const all = await Promise.all(Array.from({ length: channels }, () => register()));
    /** Which channel each request was of. */
    const turns: number[] = [];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    for (const [n, { receiver }] of all.entries())
      receiver.answer((_request, response) => {
        turns.push(n);
        void begun.then(() => response.writeHead(204).end());
      });
    await Promise.all(all.map(({ customer }) => system.values(customer, 0, eventsEach)));
    // The first request has the only place until everything is queued.
    await haveQueued(all, eventsEach);
    begin();
    await eventually(() => expect(turns.length).toBeGreaterThanOrEqual(channels * eventsEach));
    const lastOf = all.map((_, n) => turns.lastIndexOf(n));
    const untilFirstWasEmpty = turns.slice(0, Math.min(...lastOf));
    expect(new Set(untilFirstWasEmpty).size).toBe(channels);
    await Promise.all(all.map(({ receiver }) => receiver.stop()));
  });

  it('one whose receiver takes a part of a second for each request does not keep its place for 16 of them', async () => {
    const [long, short] = await Promise.all([register(), register()]);
    let requests = 0;
    long.receiver.answer((_request, response) => {
      requests++;
      setTimeout(() => response.writeHead(204).end(), 400);
    });
    let requestsBefore = Infinity;
    short.receiver.answer((_request, response) => {
      requestsBefore = requests;
      response.writeHead(204).end();
    });
    await system.values(long.customer, 0, eventsEach);
    await eventually(() => expect(requests).toBeGreaterThan(0));
    await system.value(short.customer, 'short');
    await eventually(() => expect(requestsBefore).toBeLessThan(16));
    await system.call(service, long.customer, 'DELETE', 'callback');
    await Promise.all([long, short].map(({ receiver }) => receiver.stop()));
  });

  it('what all channels of an account get at once starts no more requests than there are places', async () => {
    const accountId = newId();
    const all = await Promise.all(Array.from({ length: channels }, () => register(accountId)));
    const requests = (): number => all.reduce((count, { receiver }) => count + receiver.deliveries.length, 0);
    // Their targets are known from now on.
    await system.session(accountId, 'registered');
    await eventually(() => expect(requests()).toBe(channels));
    for (const { receiver } of all) receiver.answer('hang');
    await system.session(accountId, 'registered');
    await eventually(() => expect(requests()).toBe(channels + 1));
    // Whether a request follows is decided when the event is queued.
    await haveQueued(all, 1);
    expect(requests()).toBe(channels + 1);
    await Promise.all(all.map(({ receiver }) => receiver.stop()));
  });

  it('events that follow each other start no more requests at once than there are places', async () => {
    const accountId = newId();
    const all = await Promise.all(Array.from({ length: channels }, () => register(accountId)));
    let [requests, atOnce, mostAtOnce] = [0, 0, 0];
    for (const { receiver } of all)
      receiver.answer((_request, response) => {
        requests++;
        mostAtOnce = Math.max(mostAtOnce, ++atOnce);
        setTimeout(() => {
          atOnce--;
          response.writeHead(204).end();
        }, 2);
      });
    for (let n = 1; n <= eventsEach; n++) {
      await system.session(accountId, 'registered');
      // Its last requests are still being answered when the next event comes.
      await eventually(() => expect(requests).toBe(channels * n), { intervalMs: 1 });
    }
    expect(mostAtOnce).toBe(1);
    await Promise.all(all.map(({ receiver }) => receiver.stop()));
  });
});
