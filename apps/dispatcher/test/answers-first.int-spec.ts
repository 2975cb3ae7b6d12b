import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUid } from '@lanyard/contracts';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, parseMessage, WebSocketClient } from '@lanyard/testing';
import { type Customer, TestSystem } from './test-system.js';

const subscriptions = 200;

interface Item {
  id?: string;
  ep?: string;
}

describe('subscriptions', () => {
  let system: TestSystem;
  let service: RunningService;
  const receiver = new CallbackReceiver();

  beforeAll(async () => {
    system = await TestSystem.create('answers-first');
    service = await system.startReplica();
    await receiver.start();
  });

  afterAll(async () => {
    await system?.drop();
    await receiver.stop();
  });

  /** Of each subscription two facts: that it ended, and its first value. Others get values meanwhile. */
  const subscribe = async (customer: Customer, other: Customer, n: number): Promise<void> => {
    const deviceId = newId();
    const item = { id: deviceId, status: 200, payload: '' };
    await Promise.all([
      system.value(other, n),
      system.value(customer, n, deviceId, { answer: { uid: newId(), keyId: customer.keyId, item } }),
      system.value(customer, 'later', deviceId),
    ]);
  };

  /** Names in the order of their arrival: of answers by their id, of values by their device. */
  const arrived = (messages: readonly unknown[]): string[] =>
    messages.flatMap((message) =>
      Object.entries(message as Record<string, Item[]>).flatMap(([category, items]) =>
        items.map(({ id, ep }) => (category === 'async-responses' ? `answer ${id}` : `value ${ep}`)),
      ),
    );

  it('are answered before their first value comes, on every kind of channel', async () => {
    const [pull, socket, callback, other] = await Promise.all([0, 1, 2, 3].map(() => system.customer()));
    if (!pull || !socket || !callback || !other) throw new Error('no customers');
    await system.call(service, callback, 'PUT', 'callback', { url: receiver.url });
    await system.call(service, socket, 'PUT', 'websocket');
    const client = await new WebSocketClient({ url: service.url, key: socket.key }).opened();
    const polled: unknown[] = [];
    /** Until nothing is left: answers and values alternate, and a message has one kind. */
    const poll = async (): Promise<unknown[]> => {
      for (;;) {
        const { text } = await system.call(service, pull, 'GET', 'pull?noWait=true');
        if (text === '') return polled;
        polled.push(parseMessage(text));
      }
    };
    await poll();
    for (let n = 0; n < subscriptions; n += 20)
      await Promise.all(
        [pull, socket, callback].flatMap((customer) =>
          Array.from({ length: 20 }, (_, k) => subscribe(customer, other, n + k)),
        ),
      );

    for (const messages of [poll, () => client.messages, () => receiver.messages])
      await eventually(async () => {
        const order = arrived(await messages());
        expect(order.filter((name) => name.startsWith('answer'))).toHaveLength(subscriptions);
        expect(order.filter((name) => name.startsWith('value'))).toHaveLength(2 * subscriptions);
        for (const name of order.filter((each) => each.startsWith('answer')))
          expect(order.indexOf(name)).toBeLessThan(order.indexOf(name.replace('answer', 'value')));
      });
    client.cut();
  });

  it('have an answer that is explained by its own uid', async () => {
    const customer = await system.customer();
    const uid = newUid();
    const item = { id: 'subscribed', status: 200, payload: '' };
    await system.value(customer, 1, newId(), { answer: { uid, keyId: customer.keyId, item } });
    const response = await fetch(`${service.url}/explain/events/${uid}`, { headers: system.identity(customer) });
    expect(await response.json()).toMatchObject({ uid, category: 'async-responses', async_id: 'subscribed' });
  });
});
