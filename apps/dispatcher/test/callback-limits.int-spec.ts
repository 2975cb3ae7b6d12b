import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventsOf, eventually, parseMessage } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem, payloads } from './test-system.js';
import { timeUntil } from './time-until.js';

const secondMs = 1_000;

describe('a callback and its limits', () => {
  let system: TestSystem;
  let replicas: [RunningService, RunningService];
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('callback-limits');
    replicas = [await system.startReplica('dispatcher-1'), await system.startReplica('dispatcher-2')];
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

  const call = (method: string, path: string, body?: unknown, tier?: 'free'): Promise<Answer> =>
    system.call(replicas[0], customer, method, path, body, tier ? { tier } : {});

  const register = (serialization?: object, tier?: 'free'): Promise<Answer> =>
    call('PUT', 'callback', { url: receiver.url, serialization }, tier);

  const shows = (state: object): Promise<unknown> =>
    eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject(state));

  it.each<[string, 'hang' | 'drip']>([
    ['no answer', 'hang'],
    ['an answer that does not end', 'drip'],
  ])('%s within 20 s is a failure', async (_, how) => {
    await register();
    receiver.answer(how === 'hang' ? 'hang' : (_request, response) => void response.writeHead(200).write('x'));
    system.clock.slowDown();
    await system.value(customer, 'slow');
    await eventually(() => expect(receiver.deliveries).toHaveLength(1));
    system.clock.jump(19 * secondMs);
    expect((await call('GET', 'callback')).body).toMatchObject({ failures: 0 });
    system.clock.jump(secondMs);
    await shows({ failures: 1, queue_size: 1 });
    receiver.answer(204);
    system.clock.jump(secondMs);
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['slow']));
  });

  it('400 when the verification is not answered within 20 s', async () => {
    receiver.answer('hang');
    const answer = system.call(
      replicas[0],
      customer,
      'PUT',
      'callback',
      { url: receiver.url },
      {
        headers: { accept: 'application/json' },
      },
    );
    await eventually(() => expect(receiver.calls).toHaveLength(1));
    system.clock.jump(20 * secondMs);
    expect(await answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('within 20 s') } });
  });

  it('429 while another URL of the key is being verified: a key has one verification at a time', async () => {
    receiver.answer('hang');
    const first = register();
    await eventually(() => expect(receiver.calls).toHaveLength(1));
    const second = await register();
    expect(second).toMatchObject({ status: 429, text: 'TOO_MANY_REQUESTS' });
    expect(second.headers.get('retry-after')).toBe('1');
    system.clock.jump(20 * secondMs);
    expect((await first).status).toBe(400);
    expect(receiver.calls).toHaveLength(1);
    receiver.answer(204);
    expect((await register()).status).toBe(200);
  });

  it('an account that is upgraded: its channel keeps the old limits until it is registered again', async () => {
    const failTwice = async (): Promise<void> => {
      receiver.answer(500);
      system.clock.slowDown();
      await system.value(customer, 'unanswered');
      await shows({ failures: 1 });
      system.clock.jump(secondMs);
    };
    await register(undefined, 'free');
    await register();
    await failTwice();
    await shows({ dropped: { failed: 1 }, queue_size: 0 });
    await call('DELETE', 'callback');
    receiver.answer(204);
    await register();
    await failTwice();
    await shows({ failures: 2, dropped: { failed: 0 }, queue_size: 1 });
  });

  it('the timestamp of a value is the time at which the device measured it, where the device says so', async () => {
    await register({ type: 'v2', cfg: { include_timestamp: true } });
    const device = newId();
    const [observedAt, measuredAt] = ['2024-01-01T10:00:00.000000Z', '2024-01-01T08:15:00.250000Z'];
    const beforeMs = Date.now();
    await system.value(customer, 'old', device, { observedAt, measuredAt });
    await system.value(customer, 'now', device, { observedAt });
    await eventually(() => expect(receiver.events('notifications')).toHaveLength(2));
    const [old, now] = receiver.events('notifications') as { timestamp: number }[];
    expect(old?.timestamp).toBe(Date.parse(measuredAt));
    expect(Math.abs((now?.timestamp ?? 0) - beforeMs)).toBeLessThan(3_600_000);
  });

  it('every option of the serialization is in what arrives; a repetition has the same uid', async () => {
    const cfg = Object.fromEntries(
      ['include_uid', 'include_timestamp', 'include_original_ep', 'deregistrations_as_object', 'use_endpoint_name'].map(
        (name) => [name, true],
      ),
    );
    await register({ type: 'v2', cfg });
    receiver.answer(500);
    system.clock.slowDown();
    const deviceId = await system.session(customer.accountId, 'registered');
    await shows({ failures: 1 });
    receiver.answer(204);
    system.clock.jump(secondMs);
    await system.session(customer.accountId, 'deregistered', deviceId);
    await system.value(customer, 'v', deviceId);
    await system.result(customer, 'asked');
    await eventually(() => expect(receiver.messages).toHaveLength(4));
    const added = { uid: expect.stringMatching(/^[0-9a-f-]{36}$/), timestamp: expect.any(Number) };
    for (const category of ['registrations', 'de-registrations', 'notifications']) {
      const [event] = receiver.events(category) as { ep: string; 'original-ep': string }[];
      expect(event).toMatchObject(added);
      expect(event?.ep).not.toBe(deviceId);
      expect(event?.['original-ep']).toBe(event?.ep);
    }
    expect(receiver.events('async-responses')).toEqual([expect.objectContaining({ id: 'asked', ...added })]);
    const attempts = eventsOf(
      receiver.deliveries.map(({ body }) => parseMessage(body)),
      'registrations',
    ) as { uid: string }[];
    expect(attempts.map(({ uid }) => uid)).toEqual([attempts[0]?.uid, attempts[0]?.uid]);
  });

  describe('a key that', () => {
    /** What was sent before has been looked at by every replica. */
    const afterMark = async (): Promise<void> => {
      const other = await system.customer();
      const mark = await new CallbackReceiver().start();
      await system.call(replicas[1], other, 'PUT', 'callback', { url: mark.url });
      await system.value(other, 'mark');
      await eventually(() => expect(mark.messages).toHaveLength(1));
      await mark.stop();
    };

    it('is deleted: no replica calls its URL after 5 s', async () => {
      await register();
      await system.value(customer, 'before');
      await eventually(() => expect(receiver.messages).toHaveLength(1));
      const deleting = timeUntil(async () => {
        for (const replica of replicas)
          expect((await system.call(replica, customer, 'GET', 'callback')).status).toBe(404);
      });
      await system.announceKey(customer, { status: 'deleted' });
      expect(await deleting).toBeLessThan(5_000);
      await system.value(customer, 'after');
      await afterMark();
      expect(receiver.deliveries).toHaveLength(1);
    });
  });

  // Last, because it stops the replicas.
  it('an address that may not be called: refused when registered, and when connected to', async () => {
    const wide = { DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128' };
    const byName = receiver.url.replace('127.0.0.1', 'localhost');
    for (const replica of replicas) await replica.stop();
    const allowing = await system.startReplica('dispatcher-allowing', wide);
    expect((await system.call(allowing, customer, 'PUT', 'callback', { url: byName })).status).toBe(200);
    await system.value(customer, 'allowed');
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    await allowing.stop();

    const strict = await system.startReplica('dispatcher-strict', { DISPATCHER_CALLBACK_ALLOW_CIDRS: '' });
    system.clock.slowDown();
    await system.value(customer, 'refused');
    await eventually(async () =>
      expect((await system.call(strict, customer, 'GET', 'callback')).body).toMatchObject({ failures: 1 }),
    );
    expect(receiver.deliveries).toHaveLength(1);
    const refused = async (url: string): Promise<Answer> =>
      system.call(strict, customer, 'PUT', 'callback', { url }, { headers: { accept: 'application/json' } });
    const ofPrivate = await refused(byName);
    expect(ofPrivate.status).toBe(400);
    // The answer does not reveal which names exist inside.
    const { body } = await refused(byName.replace('localhost', 'missing.invalid'));
    expect({ ...(ofPrivate.body as object), request_id: '' }).toEqual({ ...(body as object), request_id: '' });
    const { port, pathname } = new URL(receiver.url);
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::1]', '2130706433', '0x7f.1'])
      expect(await refused(`http://${host}:${port}${pathname}`)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('publicly reachable') },
      });
    expect(receiver.calls).toHaveLength(2);
  });
});
