import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { Repair } from '../src/channels/repair.js';
import { ChannelRegistry } from '../src/queue/channel-registry.js';
import { Keys } from '../src/queue/keys.js';
import { ChannelStore } from '../src/store/channel-store.js';
import { type Answer, type Customer, payloads, TestSystem } from './test-system.js';

describe('with a PostgreSQL that was restored from an older dump', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  let keys: Keys;

  beforeAll(async () => {
    system = await TestSystem.create('restored-database');
    service = await system.startReplica();
    keys = new Keys(system.isolation.redisPrefix, 4);
  });

  afterAll(() => system?.drop());

  /** Revisions continue behind this one. */
  const countFrom = (revision: number): Promise<unknown> =>
    system.query("SELECT setval('dispatcher.channel_revisions', $1)", [revision]);

  beforeEach(async () => {
    customer = await system.customer();
    await countFrom(10_000);
  });

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    system.call(service, customer, method, path, body);

  const inRedis = (): Promise<unknown> => service.app.get(ChannelRegistry).inspect(customer.keyId);

  it('a callback that is registered replaces the one that only Redis knows', async () => {
    const former = await new CallbackReceiver().start();
    const receiver = await new CallbackReceiver().start();
    await call('PUT', 'callback', { url: former.url });
    await countFrom(1);
    expect((await call('PUT', 'callback', { url: receiver.url })).status).toBe(200);
    await system.value(customer, 'new');
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['new']));
    expect(former.deliveries).toEqual([]);
    await Promise.all([former.stop(), receiver.stop()]);
  });

  it('a channel that is deleted is gone from Redis too', async () => {
    await call('PUT', 'websocket');
    await countFrom(1);
    expect((await call('DELETE', 'websocket')).status).toBe(204);
    expect(await inRedis()).toBeUndefined();
  });

  it('a channel that was made after the dump is removed', async () => {
    await call('PUT', 'websocket');
    await system.query('DELETE FROM dispatcher.channels WHERE key_id = $1', [customer.keyId]);
    await countFrom(1);
    await service.app.get(Repair).run();
    expect(await inRedis()).toBeUndefined();
  });

  it('what was announced of a channel that was made after the dump is forgotten some time after its removal', async () => {
    await call('PUT', 'websocket');
    await system.query('DELETE FROM dispatcher.channels WHERE key_id = $1', [customer.keyId]);
    await service.app.get(Repair).run();
    const reports = (): Promise<unknown[]> =>
      system.query('SELECT is_final, ending FROM dispatcher.drop_reports WHERE key_id = $1', [customer.keyId]);
    expect(await reports()).toEqual([{ is_final: true, ending: null }]);
    await service.app.get(ChannelStore).forgetReports(new Date(system.clock.now() + 60_000));
    expect(await reports()).toEqual([]);
  });

  it('a channel that was changed after the dump is again as it was', async () => {
    await call('PUT', 'websocket');
    const dumped = `UPDATE dispatcher.channels SET revision = 1, serialization = serialization || '{"max_chunk_size": 7}' WHERE key_id = $1`;
    await system.query(dumped, [customer.keyId]);
    await countFrom(1);
    await service.app.get(Repair).run();
    expect(await system.redis.hget(keys.ofChannel(customer.keyId).channel(customer.keyId), 'max')).toBe('7');
  });

  describe('and a channel of which Redis has closed the queue, but whose deletion was lost', () => {
    const close = (): Promise<unknown> => service.app.get(ChannelRegistry).close(customer.keyId, '99999');

    it('it is repaired: events reach it again', async () => {
      await call('PUT', 'websocket');
      await close();
      await service.app.get(Repair).run();
      await system.value(customer, 'new');
      await eventually(async () => expect((await call('GET', 'websocket')).body).toMatchObject({ queue_size: 1 }));
    });

    it.each<[string, string, string, number]>([
      ['a registration', 'PUT', 'websocket', 200],
      ['a poll', 'GET', 'pull?noWait=true', 204],
    ])('%s opens it', async (_, method, path, status) => {
      await call(method, path);
      await close();
      expect((await call(method, path)).status).toBe(status);
      const hash = keys.ofChannel(customer.keyId).channel(customer.keyId);
      expect(await system.redis.hget(hash, 'account')).toBe(customer.accountId);
    });
  });
});
