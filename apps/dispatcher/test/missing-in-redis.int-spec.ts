import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { eventsOf, eventually, parseMessage, WebSocketClient } from '@lanyard/testing';
import { Keys } from '../src/queue/keys.js';
import { type Customer, TestSystem } from './test-system.js';

const repairPeriodMs = 60_000;

describe('what PostgreSQL has and Redis does not', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  let keys: Keys;

  beforeAll(async () => {
    system = await TestSystem.create('missing-in-redis');
    service = await system.startReplica();
    keys = new Keys(system.isolation.redisPrefix, 4);
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
  });

  describe('a channel that is not in the set of its account', () => {
    const registered = async (deviceId: string): Promise<unknown> => {
      const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
      const items = eventsOf([parseMessage(text || '{}')], 'registrations');
      return expect(items).toContainEqual(expect.objectContaining({ ep: deviceId }));
    };

    it('is restored within a minute: events for all channels of the account reach it', async () => {
      await system.call(service, customer, 'GET', 'pull?noWait=true');
      await system.redis.del(keys.account(customer.accountId));
      system.clock.jump(repairPeriodMs);
      const inSet = (): Promise<number> => system.redis.sismember(keys.account(customer.accountId), customer.keyId);
      await eventually(async () => expect(await inSet()).toBe(1));
      const deviceId = await system.session(customer.accountId, 'registered');
      await eventually(() => registered(deviceId));
    });

    it('is put back when it is registered again', async () => {
      const put = (): Promise<unknown> => system.call(service, customer, 'PUT', 'websocket');
      await put();
      await system.redis.del(keys.account(customer.accountId));
      await put();
      expect(await system.redis.smembers(keys.account(customer.accountId))).toEqual([customer.keyId]);
    });
  });

  it('1012, not 1011, for the socket of a channel that is not made known again yet', async () => {
    await system.call(service, customer, 'PUT', 'websocket');
    await system.redis.del(keys.ofChannel(customer.keyId).channel(customer.keyId));
    const connect = (): Promise<WebSocketClient> =>
      new WebSocketClient({ url: service.url, key: customer.key }).opened();
    const early = await connect();
    await eventually(() => early.closed !== undefined);
    expect(early.closed).toMatchObject({ code: 1012 });
    system.clock.jump(repairPeriodMs);
    await eventually(() => system.redis.exists(keys.ofChannel(customer.keyId).channel(customer.keyId)).then(Boolean));
    const client = await connect();
    await system.value(customer, 1);
    await eventually(() => expect(client.events('notifications')).toHaveLength(1));
    client.cut();
  });

  it('a channel whose key was replaced by hand is registered again within a minute', async () => {
    await system.call(service, customer, 'PUT', 'websocket');
    const key = keys.ofChannel(customer.keyId).channel(customer.keyId);
    await system.redis.set(key, 'a text');
    system.clock.jump(repairPeriodMs);
    await eventually(async () => expect(await system.redis.type(key)).toBe('hash'));
  });
});
