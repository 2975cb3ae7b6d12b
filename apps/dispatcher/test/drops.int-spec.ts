import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, WebSocketClient } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem, numbers, payloads } from './test-system.js';

const secondMs = 1_000;
const hourMs = 3_600_000;

describe('what channels lose', () => {
  let system: TestSystem;
  let replicas: [RunningService, RunningService];
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('drops');
    replicas = [await system.startReplica('dispatcher-1'), await system.startReplica('dispatcher-2')];
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    system.clock.resume();
    customer = await system.customer();
  });

  const call = (method: string, path: string, body?: unknown, tier?: 'free'): Promise<Answer> =>
    system.call(replicas[0], customer, method, path, body, tier ? { tier } : {});

  const shows = (path: string, state: object): Promise<unknown> =>
    eventually(async () => expect((await call('GET', path)).body).toMatchObject(state));

  const announced = () => system.drops.filter(({ keyId }) => keyId === customer.keyId);

  const counted = async (reason: string): Promise<number> => {
    const name = 'lanyard_dispatcher_events_dropped_total';
    const counts = await Promise.all(replicas.map((each) => system.counter(each, name, `reason="${reason}"`)));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  /** A mark in the topic of losses: what came before it is all that there was. */
  const afterMark = async (): Promise<void> => {
    const other = await system.customer();
    await system.call(replicas[0], other, 'PUT', 'websocket');
    await system.value(other, 'mark');
    await eventually(async () =>
      expect((await system.call(replicas[0], other, 'GET', 'websocket')).body).toMatchObject({ queue_size: 1 }),
    );
    await system.call(replicas[0], other, 'DELETE', 'websocket');
    await eventually(() => expect(system.drops.some(({ keyId }) => keyId === other.keyId)).toBe(true));
  };

  it('retries used up: announced once with reason and count, and counted once in all replicas', async () => {
    const before = await counted('failed');
    const receiver = await new CallbackReceiver().start();
    await call('PUT', 'callback', { url: receiver.url, serialization: { max_chunk_size: 1 } }, 'free');
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'given up');
    await shows('callback', { failures: 1 });
    system.clock.resume();
    system.clock.jump(secondMs);
    await shows('callback', { queue_size: 0, dropped: { failed: 1 } });
    await eventually(() => {
      system.clock.jump(30 * secondMs);
      expect(announced()).toEqual([
        expect.objectContaining({
          accountId: customer.accountId,
          kind: 'callback',
          reason: 'failed',
          count: 1,
          total: 1,
        }),
      ]);
    });
    system.clock.jump(30 * secondMs);
    await afterMark();
    expect(announced()).toHaveLength(1);
    await eventually(async () => expect(await counted('failed')).toBe(before + 1));
    await receiver.stop();
  });

  it.each<[string, (customer: Customer) => Promise<unknown>, string, number]>([
    ['a REST call', () => call('DELETE', 'websocket'), 'deleted by a REST call', 201],
    ['the end of its key', (of) => system.announceKey(of, { status: 'deleted' }), 'its key was deleted', 401],
  ])('a channel removed by %s: what was queued is announced', async (_, remove, ending, again) => {
    const before = await counted('removed');
    await call('PUT', 'websocket');
    await system.values(customer, 0, 5);
    await shows('websocket', { queue_size: 5 });
    await remove(customer);
    await eventually(() =>
      expect(announced()).toMatchObject([{ reason: 'removed', count: 5, total: 5, kind: 'websocket', ending }]),
    );
    await eventually(async () => expect(await counted('removed')).toBe(before + 5));
    const made = await call('PUT', 'websocket');
    expect(made.status).toBe(again);
    if (again === 201) expect(made.body).toMatchObject({ queue_size: 0, dropped: { size: 0, age: 0 } });
  });

  it('what a crash between the two stores left is announced by the repair', async () => {
    await call('PUT', 'websocket');
    await system.values(customer, 0, 3);
    await shows('websocket', { queue_size: 3 });
    await system.query('DELETE FROM dispatcher.channels WHERE key_id = $1', [customer.keyId]);
    system.clock.jump(60 * secondMs);
    await eventually(() => expect(announced()).toMatchObject([{ reason: 'removed', count: 3 }]));
  });

  it('a Redis that forgot the channel continues counting from the last report', async () => {
    const receiver = await new CallbackReceiver().start();
    await call('PUT', 'callback', { url: receiver.url }, 'free');
    await receiver.stop();
    await system.query(
      `INSERT INTO dispatcher.drop_reports (key_id, created_at, failed, changed_at)
       SELECT key_id, created_at, 4, now() FROM dispatcher.channels WHERE key_id = $1`,
      [customer.keyId],
    );
    await system.redis.del(...(await system.redis.keys(`${system.isolation.redisPrefix}*${customer.keyId}`)));
    system.clock.jump(60 * secondMs);
    await shows('callback', { dropped: { size: 0, age: 0, failed: 4 } });
  });

  // Last, because the clock is days ahead of events that come after.
  it('24 h: undelivered events expire, and so does a channel without a socket; announced and counted once', async () => {
    const aged = await counted('age');
    const abandoned = await system.customer();
    await system.call(replicas[0], abandoned, 'PUT', 'websocket');
    await system.value(abandoned, 'unread');
    await call('PUT', 'websocket');
    await system.values(customer, 0, 10);
    await shows('websocket', { queue_size: 10 });
    system.clock.jump(23 * hourMs);
    const client = await new WebSocketClient({ url: replicas[1].url, key: customer.key, echo: false }).opened();
    await eventually(() => expect(payloads(client.events('notifications'))).toEqual(numbers(0, 10)));
    client.cut();
    await shows('websocket', { status: 'disconnected', queue_size: 10 });
    system.clock.jump(hourMs + 5 * secondMs);
    await shows('websocket', { queue_size: 0, oldest: null, dropped: { age: 10 } });
    await eventually(() => {
      system.clock.jump(30 * secondMs);
      expect(announced()).toMatchObject([{ reason: 'age', count: 10, total: 10 }]);
    });
    await eventually(async () => expect(await counted('age')).toBe(aged + 10));
    await eventually(() =>
      expect(system.drops.filter(({ keyId }) => keyId === abandoned.keyId)).toMatchObject([
        { reason: 'removed', count: 1, ending: 'no socket for 24 hours' },
      ]),
    );
    await call('DELETE', 'websocket');
    await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'deleted' }));
    expect(announced()).toHaveLength(1);
  });
});
