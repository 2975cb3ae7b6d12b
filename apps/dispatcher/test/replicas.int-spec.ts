import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, WebSocketClient } from '@lanyard/testing';
import { AccessKeysReader } from '../src/keys/access-keys.reader.js';
import { type Customer, TestSystem, numbers, payloads } from './test-system.js';

const firstSeen = (all: readonly string[]): string[] => [...new Set(all)];

describe('several replicas', () => {
  let system: TestSystem;
  let one: RunningService;
  let two: RunningService;
  let customer: Customer;
  let receiver: CallbackReceiver;

  beforeAll(async () => {
    system = await TestSystem.create('replicas');
    one = await system.startReplica('dispatcher-1');
    two = await system.startReplica('dispatcher-2');
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
    receiver = await new CallbackReceiver().start();
  });

  afterEach(() => receiver.stop());

  const queueSize = async (): Promise<number> => {
    const { body } = await system.call(one, customer, 'GET', 'channel');
    const { delivery_mechanism: kind } = body as { delivery_mechanism: string };
    const shown = await system.call(one, customer, 'GET', kind === 'CALLBACK' ? 'callback' : 'websocket');
    return (shown.body as { queue_size: number }).queue_size;
  };

  /** A socket has its channel a moment after the handshake. */
  const connected = (): Promise<unknown> =>
    eventually(async () =>
      expect((await system.call(one, customer, 'GET', 'websocket')).body).toMatchObject({ status: 'connected' }),
    );

  it('one socket per key, wherever it is: the older gets 1001, events go to the newer', async () => {
    await system.call(one, customer, 'PUT', 'websocket');
    const older = await new WebSocketClient({ url: one.url, key: customer.key }).opened();
    await connected();
    const newer = await new WebSocketClient({ url: two.url, key: customer.key }).opened();
    await eventually(() => expect(older.closed).toMatchObject({ code: 1001 }));
    await system.values(customer, 0, 20);
    await eventually(() => expect(payloads(newer.events('notifications'))).toEqual(numbers(0, 20)));
    expect(older.messages).toEqual([]);
    newer.close();
  });

  it('deleting the channel on one replica closes the socket on the other', async () => {
    await system.call(one, customer, 'PUT', 'websocket');
    const client = await new WebSocketClient({ url: two.url, key: customer.key }).opened();
    await connected();
    await system.call(one, customer, 'DELETE', 'websocket');
    await eventually(() => expect(client.closed).toMatchObject({ code: 1001 }));
  });

  it('1008 for the socket of a deleted key, although its replica has not read of the deletion', async () => {
    const late = await system.startReplica('dispatcher-late');
    await system.call(one, customer, 'PUT', 'websocket');
    const client = await new WebSocketClient({ url: late.url, key: customer.key }).opened();
    await connected();
    await late.app.get(AccessKeysReader).stop();
    await system.announceKey(customer, { status: 'deleted' });
    await eventually(() => expect(client.closed).toMatchObject({ code: 1008 }));
    await late.stop();
  });

  it('a poll on one replica gets what another one appended', async () => {
    await system.call(one, customer, 'GET', 'pull?noWait=true');
    const waiting = system.call(two, customer, 'GET', 'pull');
    await eventually(async () =>
      expect((await system.call(one, customer, 'GET', 'pull?noWait=true')).status).toBe(409),
    );
    await system.value(customer, 1);
    expect((await waiting).status).toBe(200);
  });

  it('replicas that join and leave while events flow: all arrive, none overtakes another', async () => {
    await system.call(one, customer, 'PUT', 'callback', {
      url: receiver.url,
      serialization: { max_chunk_size: 10 },
    });
    const deviceId = newId();
    for (let round = 0; round < 4; round++) {
      const guest = await system.startReplica(`dispatcher-guest-${round}`);
      await system.values(customer, round * 100, 50, deviceId);
      await guest.stop();
      await system.values(customer, round * 100 + 50, 50, deviceId);
    }
    const received = (): string[] => firstSeen(payloads(receiver.events('notifications')));
    await eventually(() => expect(received()).toEqual(numbers(0, 400)));
  });

  it('a Redis that forgot everything: the channel is known again and its events are read from Kafka again', async () => {
    await system.call(one, customer, 'PUT', 'websocket');
    const deviceId = newId();
    await system.values(customer, 0, 25, deviceId);
    await eventually(async () => expect(await queueSize()).toBe(25));
    const keys = await system.redis.keys(`${system.isolation.redisPrefix}*`);
    expect(keys.length).toBeGreaterThan(0);
    await system.redis.del(...keys);
    await system.values(customer, 25, 5, deviceId);
    await eventually(async () => expect(await queueSize()).toBeGreaterThanOrEqual(30));
    const client = await new WebSocketClient({ url: two.url, key: customer.key }).opened();
    await eventually(() => expect(firstSeen(payloads(client.events('notifications')))).toEqual(numbers(0, 30)));
    client.close();
  });
});
