import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessAccounts,
  type AccessAccountChanged,
  DeviceEvents,
  type DeviceEventReported,
  fixtures,
  type Topic,
} from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, type Isolation, isolate, TcpLine } from '@lanyard/testing';
import { BatchConsumer, KafkaConnection, KafkaProducer, StateReader } from '../src/index.js';

/**
 * Half the session of a member. Kafka is away for a third of it, then the consumer pauses for 5 s: who waits for the end of a
 * session is not done by then.
 */
const soonMs = 15_000;

describe('after Kafka was away', () => {
  let isolation: Isolation;
  let line: TcpLine;
  let restarts = 0;
  let direct: KafkaConnection;
  let cut: KafkaConnection;
  let producer: KafkaProducer;

  const connectionTo = (broker: string, clientId: string): KafkaConnection => {
    const write = (text: string): void => void (restarts += text.includes('Restarting the consumer') ? 1 : 0);
    const logger = createLogger({ app: 'test', replicaId: clientId, level: 'warn', destination: { write } });
    const { topicPrefix } = isolation;
    return new KafkaConnection({ brokers: [broker], clientId, topicPrefix, partitions: 4, logger });
  };

  beforeAll(async () => {
    isolation = await isolate('rejoin');
    const broker = infrastructure().brokers[0] as string;
    line = await TcpLine.toKafka(broker);
    direct = connectionTo(broker, 'direct');
    cut = connectionTo(line.address, 'cut');
    producer = new KafkaProducer(direct, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    line?.heal();
    await producer?.disconnect();
    await Promise.all([direct?.close(), cut?.close()]);
    line?.close();
    await isolation?.drop();
  });

  afterEach(() => line.heal());

  /** Kafka is away until a consumer has given up its connection and begins again. */
  const away = async (): Promise<void> => {
    const before = restarts;
    line.refuse();
    await eventually(() => expect(restarts).toBeGreaterThan(before));
    line.heal();
  };

  it('a consumer gets its partitions back at once', async () => {
    const topic: Topic<DeviceEventReported> = { ...DeviceEvents, name: newId() };
    await cut.ensureTopics([topic]);
    const seen = new Set<string>();
    const consumer = new BatchConsumer<DeviceEventReported>(cut, {
      topic,
      group: 'g',
      handler: async ({ messages }) => messages.forEach(({ value }) => seen.add(String(value.description))),
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    const send = (description: string): Promise<void> => {
      const base = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;
      return producer.send(topic, { ...base, deviceId: newId(), eventId: newId(), description });
    };
    await consumer.start();
    await send('before');
    await eventually(() => expect(seen).toContain('before'));
    await away();
    await send('after');
    await eventually(() => expect(seen).toContain('after'), { timeoutMs: soonMs });
    await consumer.stop();
  });

  it('a reader of state receives changes at once', async () => {
    const topic: Topic<AccessAccountChanged> = { ...AccessAccounts, name: newId() };
    await cut.ensureTopics([topic]);
    const reader = new StateReader(cut, topic, { project: (v) => v.tier, onFatal: () => undefined });
    const account = fixtures(AccessAccounts).valid['active'] as AccessAccountChanged;
    await producer.send(topic, { ...account, tier: 'free' });
    await reader.start();
    expect(reader.get(account.accountId)).toBe('free');
    await away();
    await producer.send(topic, { ...account, tier: 'commercial' });
    await eventually(() => expect(reader.get(account.accountId)).toBe('commercial'), { timeoutMs: soonMs });
    await reader.stop();
  });
});
