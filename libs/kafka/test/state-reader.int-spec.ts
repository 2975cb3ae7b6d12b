import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessAccounts, type AccessAccountChanged, fixtures, type Topic } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { engines, eventually, type Isolation, isolate } from '@lanyard/testing';
import { KafkaConnection, KafkaProducer, StateReader } from '../src/index.js';

describe('a reader of state', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;

  beforeAll(async () => {
    isolation = await isolate('state');
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const { topicPrefix } = isolation;
    connection = new KafkaConnection({
      brokers: engines().brokers,
      clientId: 'test',
      topicPrefix,
      partitions: 4,
      logger,
    });
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await producer?.disconnect();
    await connection?.close();
    await isolation?.drop();
  });

  const account = (id: string, tier: 'free' | 'commercial'): AccessAccountChanged => ({
    ...(fixtures(AccessAccounts).valid['active'] as AccessAccountChanged),
    accountId: id,
    tier,
  });

  it('starts with the last value of each key, follows changes and tombstones, and skips what it cannot read', async () => {
    await connection.ensureTopics([AccessAccounts]);
    const [a, b, c] = [newId(), newId(), newId()];
    await producer.send(AccessAccounts, account(a, 'free'));
    await producer.send(AccessAccounts, account(b, 'free'));
    await producer.send(AccessAccounts, account(a, 'commercial'));
    await producer.sendEncoded(AccessAccounts, { key: c, value: Buffer.from('?'), headers: {} });
    const reader = new StateReader(connection, AccessAccounts, { project: (v) => v.tier, onFatal: () => undefined });
    await reader.start();
    expect([reader.get(a), reader.get(b), reader.has(c)]).toEqual(['commercial', 'free', false]);
    const waited = reader.waitFor(c, 10_000);
    await producer.send(AccessAccounts, account(c, 'free'));
    expect(await waited).toBe('free');
    await producer.sendTombstone(AccessAccounts, a);
    await eventually(() => !reader.has(a));
    expect(await reader.waitFor(newId(), 10)).toBeUndefined();
    await reader.stop();
  });

  it('is ready at once on an empty topic', async () => {
    const topic: Topic<AccessAccountChanged> = { ...AccessAccounts, name: 'empty.state' };
    await connection.ensureTopics([topic]);
    const reader = new StateReader(connection, topic, { project: (v) => v, onFatal: () => undefined });
    await reader.start();
    expect(reader.size).toBe(0);
    await reader.stop();
  });
});
