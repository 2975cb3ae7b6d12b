import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessAccounts, type AccessAccountChanged, fixtures, type Topic } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, type Isolation, isolate, patienceMs } from '@lanyard/testing';
import { KafkaConnection, KafkaProducer, StateReader } from '../src/index.js';

describe('a reader of state', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let connect: (clientId: string) => KafkaConnection;
  let producer: KafkaProducer;

  beforeAll(async () => {
    isolation = await isolate('state');
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const { topicPrefix } = isolation;
    connect = (clientId) =>
      new KafkaConnection({ brokers: infrastructure().brokers, clientId, topicPrefix, partitions: 4, logger });
    connection = connect('test');
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

  const createAgain = async (topic: Topic<AccessAccountChanged>): Promise<void> => {
    const admin = connection.kafka.admin();
    await admin.connect();
    const name = connection.topicName(topic.name);
    await admin.deleteTopics({ topics: [name] });
    await eventually(async () => expect(await admin.listTopics()).not.toContain(name));
    await admin.disconnect();
    // A client of Kafka that knows a topic does not create it.
    const other = connect('other');
    await other.ensureTopics([topic]);
    await other.close();
  };

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
    const waited = reader.waitFor(c, patienceMs);
    await producer.send(AccessAccounts, account(c, 'free'));
    expect(await waited).toBe('free');
    await producer.sendTombstone(AccessAccounts, a);
    await eventually(() => !reader.has(a));
    expect(await reader.waitFor(newId(), 10)).toBeUndefined();
    await reader.stop();
  });

  it('ends the wait for a key that gets a tombstone, whether it had a value or not', async () => {
    await connection.ensureTopics([AccessAccounts]);
    const [known, unknown] = [newId(), newId()];
    await producer.send(AccessAccounts, account(known, 'free'));
    const reader = new StateReader(connection, AccessAccounts, { project: (v) => v.tier, onFatal: () => undefined });
    await reader.start();
    const longMs = 10 * patienceMs;
    const waited = [reader.waitFor(known, longMs, (tier) => tier === 'commercial'), reader.waitFor(unknown, longMs)];
    for (const key of [known, unknown]) await producer.sendTombstone(AccessAccounts, key);
    expect(await Promise.all(waited)).toEqual([undefined, undefined]);
    await reader.stop();
  });

  it('ignores a value that is older than the one it has; nothing is older than a tombstone', async () => {
    await connection.ensureTopics([AccessAccounts]);
    const key = newId();
    const reader = new StateReader(connection, AccessAccounts, {
      project: (v) => v.tier,
      isOutdated: (tier, known) => tier === 'free' && known === 'commercial',
      onFatal: () => undefined,
    });
    await reader.start();
    const seen: unknown[] = [];
    reader.onChange((changed, tier) => {
      if (changed === key) seen.push(tier);
    });
    for (const tier of ['free', 'commercial', 'free', 'commercial'] as const)
      await producer.send(AccessAccounts, account(key, tier));
    await producer.sendTombstone(AccessAccounts, key);
    await producer.send(AccessAccounts, account(key, 'free'));
    await eventually(() => expect(seen).toEqual(['free', 'commercial', 'commercial', undefined, 'free']));
    expect(reader.get(key)).toBe('free');
    await reader.stop();
  });

  it('that stops lets no caller wait any longer', async () => {
    await connection.ensureTopics([AccessAccounts]);
    const reader = new StateReader(connection, AccessAccounts, { project: (v) => v.tier, onFatal: () => undefined });
    await reader.start();
    const [key, other] = [newId(), newId()];
    const longMs = 10 * patienceMs;
    const waited = Promise.all([key, key, other].map((each) => reader.waitFor(each, longMs)));
    await reader.stop();
    expect(await waited).toEqual([undefined, undefined, undefined]);
    expect(await reader.waitFor(key, longMs)).toBeUndefined();
  });

  it('is ready at once on an empty topic', async () => {
    const topic: Topic<AccessAccountChanged> = { ...AccessAccounts, name: 'empty.state' };
    await connection.ensureTopics([topic]);
    const reader = new StateReader(connection, topic, { project: (v) => v, onFatal: () => undefined });
    await reader.start();
    expect([...reader.entries()]).toEqual([]);
    await reader.stop();
  });

  it('reads a topic that was deleted and created under it, whether that has fewer messages or more', async () => {
    const topic: Topic<AccessAccountChanged> = { ...AccessAccounts, name: 'again.state' };
    await connection.ensureTopics([topic]);
    const [a, b] = [newId(), newId()];
    for (const tier of ['commercial', 'free', 'commercial', 'free'] as const)
      await producer.send(topic, account(a, tier));
    await producer.send(topic, account(b, 'free'));
    const reader = new StateReader(connection, topic, {
      project: (v) => v.tier,
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    await reader.start();
    const seen: unknown[] = [];
    reader.onChange((key, tier) => key === a && seen.push(tier));
    await createAgain(topic);
    await producer.send(topic, account(a, 'commercial'));
    await eventually(() => expect(reader.get(a)).toBe('commercial'));
    // A topic that lost everything is no word that everything was deleted.
    expect(reader.get(b)).toBe('free');
    await createAgain(topic);
    for (const tier of ['commercial', 'free'] as const) await producer.send(topic, account(a, tier));
    await eventually(() => expect(reader.get(a)).toBe('free'));
    await producer.sendTombstone(topic, a);
    await eventually(() => expect(reader.has(a)).toBe(false));
    expect(seen.slice(-1)).toEqual([undefined]);
    await reader.stop();
  });
});
