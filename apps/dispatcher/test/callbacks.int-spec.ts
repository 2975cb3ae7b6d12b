import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventsOf, eventually, parseMessage, type ReceivedMessage } from '@lanyard/testing';
import { type Customer, TestSystem, numbers, payloads } from './test-system.js';

const secondMs = 1_000;

describe('delivery to a callback URL', () => {
  let system: TestSystem;
  let service: RunningService;
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('callbacks');
    service = await system.startReplica();
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    customer = await system.customer();
  });

  afterEach(async () => {
    system.clock.resume();
    await receiver.stop();
  });

  const register = (serialization?: object, tier: 'commercial' | 'free' = 'commercial'): Promise<unknown> =>
    system.call(service, customer, 'PUT', 'callback', { url: receiver.url, serialization }, { tier });

  const received = (): string[] => payloads(receiver.events('notifications'));

  /** Whatever it was answered with. */
  const attempted = (): ReceivedMessage[] => receiver.deliveries.map(({ body }) => parseMessage(body));

  const failures = async (): Promise<number> =>
    ((await system.call(service, customer, 'GET', 'callback')).body as { failures: number }).failures;

  /** Lets the wait after the n-th failure pass, and not more than that. Time is slowed down. */
  const passWait = async (failed: number, waitMs: number): Promise<void> => {
    await eventually(async () => expect(await failures()).toBe(failed));
    const before = receiver.deliveries.length;
    system.clock.jump(waitMs - 200);
    expect(await failures()).toBe(failed);
    expect(receiver.deliveries).toHaveLength(before);
    system.clock.jump(200);
    await eventually(() => expect(receiver.deliveries).toHaveLength(before + 1));
  };

  it('sends values in the order of the device, in messages of at most max_chunk_size events', async () => {
    await register({ type: 'v2', max_chunk_size: 7 });
    receiver.answer(503);
    await system.values(customer, 0, 40);
    await eventually(async () =>
      expect((await system.call(service, customer, 'GET', 'callback')).body).toMatchObject({ queue_size: 40 }),
    );
    receiver.answer(204);
    system.clock.jump(secondMs);
    await eventually(() => expect(received()).toEqual(numbers(0, 40)));
    const sizes = receiver.messages.map((message) => (message as { notifications: unknown[] }).notifications.length);
    expect(Math.max(...sizes)).toBe(7);
  });

  it.each<[string, 503 | 'reset' | 301 | 201]>([
    ['another status', 503],
    ['a connection that breaks', 'reset'],
    ['a redirect', 301],
    ['201, which is not 200 or 204', 201],
  ])('%s is a failure: the same batch comes again, and nothing is lost', async (_, answer) => {
    await register();
    receiver.answer(answer);
    system.clock.slowDown();
    await system.value(customer, 'first');
    await eventually(async () => expect(await failures()).toBe(1));
    await system.value(customer, 'second');
    receiver.answer(200);
    system.clock.jump(secondMs);
    await eventually(() => expect(received()).toEqual(['first', 'second']));
    expect(await failures()).toBe(0);
  });

  it('waits 1, 2, 4, 8, 16, 32, 64, 120, 120 s, and starts again at 1 s after a success', async () => {
    await register();
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'stubborn');
    for (const [n, seconds] of [1, 2, 4, 8, 16, 32, 64, 120, 120].entries()) await passWait(n + 1, seconds * secondMs);
    receiver.answer(204);
    await eventually(async () => expect(await failures()).toBe(10));
    system.clock.jump(120 * secondMs);
    await eventually(() => expect(received()).toEqual(['stubborn']));
    receiver.answer(500);
    await system.value(customer, 'again');
    await passWait(1, secondMs);
  });

  it('a free account: one retry, then the next batch; what was given up is counted', async () => {
    await register({ type: 'v2', max_chunk_size: 1 }, 'free');
    receiver.answer(500);
    system.clock.slowDown();
    await system.values(customer, 0, 2);
    await eventually(async () => expect(await failures()).toBe(1));
    system.clock.jump(secondMs);
    await eventually(() => expect(payloads(eventsOf(attempted(), 'notifications'))).toEqual(['0', '0', '1']));
    await eventually(async () =>
      expect((await system.call(service, customer, 'GET', 'callback')).body).toMatchObject({
        queue_size: 1,
        dropped: { failed: 1 },
      }),
    );
    receiver.answer(204);
    system.clock.jump(2 * secondMs);
    await eventually(() => expect(received()).toEqual(['1']));
  });

  it('one that never answers holds up no other channel', async () => {
    await register();
    receiver.answer('hang');
    await system.value(customer, 'stuck');
    await eventually(() => expect(receiver.deliveries).toHaveLength(1));
    const other = await system.customer();
    const quick = await new CallbackReceiver().start();
    await system.call(service, other, 'PUT', 'callback', { url: quick.url });
    await system.values(other, 0, 20);
    await eventually(() => expect(payloads(quick.events('notifications'))).toEqual(numbers(0, 20)));
    await quick.stop();
  });

  it('events of the account reach every channel of it, results only the key that asked', async () => {
    const colleague = await system.customer(customer.accountId);
    const stranger = await system.customer();
    const others = await Promise.all([colleague, stranger].map(() => new CallbackReceiver().start()));
    await register();
    for (const [n, each] of [colleague, stranger].entries())
      await system.call(service, each, 'PUT', 'callback', { url: others[n]?.url });
    const deviceId = await system.session(customer.accountId, 'registered');
    await system.result(customer, 'asked');
    await eventually(() => {
      expect(receiver.events('registrations')).toMatchObject([{ ep: deviceId }]);
      expect(others[0]?.events('registrations')).toMatchObject([{ ep: deviceId }]);
      expect(receiver.events('async-responses')).toMatchObject([{ id: 'asked' }]);
    });
    // Of the same devices, so that they come after what is of others.
    for (const each of [colleague, stranger]) {
      await system.result(each, 'own');
      await system.session(each.accountId, 'updated', deviceId);
    }
    for (const other of others) {
      await eventually(() => {
        expect(other.events('async-responses')).toContainEqual(expect.objectContaining({ id: 'own' }));
        expect(other.events('reg-updates')).not.toEqual([]);
      });
      expect(other.events('async-responses')).not.toContainEqual(expect.objectContaining({ id: 'asked' }));
    }
    expect(others[1]?.events('registrations')).toEqual([]);
    await Promise.all(others.map((other) => other.stop()));
  });

  it('what happens to a registration has a category each; its end is the id alone', async () => {
    await register();
    const deviceId = newId();
    for (const change of ['registered', 'updated', 'deregistered', 'expired'] as const)
      await system.session(customer.accountId, change, deviceId);
    const registration = {
      ep: deviceId,
      ept: 'meter',
      q: false,
      resources: [
        { path: '/3303/0/5700', rt: 'temperature', obs: true },
        { path: '/3/0/4', obs: false },
      ],
      'original-ep': 'meter-7',
    };
    await eventually(() => {
      expect(receiver.events('registrations')).toEqual([registration]);
      expect(receiver.events('reg-updates')).toEqual([registration]);
      expect(receiver.events('de-registrations')).toEqual([deviceId]);
      expect(receiver.events('registrations-expired')).toEqual([deviceId]);
    });
  });

  it('24 h of failure: the channel is gone', async () => {
    await register();
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'unanswered');
    await eventually(async () => expect(await failures()).toBe(1));
    system.clock.resume();
    system.clock.jump(24 * 3_600 * secondMs);
    await eventually(async () => expect((await system.call(service, customer, 'GET', 'callback')).status).toBe(404));
    await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'expired' }));
  });
});
