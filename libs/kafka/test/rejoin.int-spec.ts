import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  /** Client ids of those that have given up their connection. */
  const restarted = new Set<string>();
  let direct: KafkaConnection;
  let ofConsumer: KafkaConnection;
  let ofReader: KafkaConnection;
  let producer: KafkaProducer;

  /** One for each that is cut: a connection does not log the same message twice within 10 s. */
  const connectionTo = (broker: string, clientId: string): KafkaConnection => {
    const write = (text: string): void => {
      if (text.includes('Restarting the consumer')) restarted.add(clientId);
    };
    const logger = createLogger({ app: 'test', replicaId: clientId, level: 'warn', destination: { write } });
    const { topicPrefix } = isolation;
    return new KafkaConnection({ brokers: [broker], clientId, topicPrefix, partitions: 4, logger });
  };

  beforeAll(async () => {
    isolation = await isolate('rejoin');
    const broker = infrastructure().brokers[0] as string;
    line = await TcpLine.toKafka(broker);
    direct = connectionTo(broker, 'direct');
    ofConsumer = connectionTo(line.address, 'consumer');
    ofReader = connectionTo(line.address, 'reader');
    producer = new KafkaProducer(direct, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    line?.heal();
    await producer?.disconnect();
    await Promise.all([direct?.close(), ofConsumer?.close(), ofReader?.close()]);
    line?.close();
    await isolation?.drop();
  });

  /** Kafka is away until both have given up their connections and begin again. */
  const away = async (): Promise<void> => {
    restarted.clear();
    line.refuse();
    await eventually(() => expect([...restarted].toSorted()).toEqual(['consumer', 'reader']));
    line.heal();
  };

  it('a consumer gets its partitions back, and a reader of state receives changes, at once', async () => {
    const events: Topic<DeviceEventReported> = { ...DeviceEvents, name: newId() };
    const accounts: Topic<AccessAccountChanged> = { ...AccessAccounts, name: newId() };
    await direct.ensureTopics([events, accounts]);
    const seen = new Set<string>();
    const consumer = new BatchConsumer<DeviceEventReported>(ofConsumer, {
      topic: events,
      group: 'g',
      handler: async ({ messages }) => messages.forEach(({ value }) => seen.add(String(value.description))),
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    const reader = new StateReader(ofReader, accounts, { project: (v) => v.tier, onFatal: () => undefined });
    const send = (description: string): Promise<void> => {
      const base = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;
      return producer.send(events, { ...base, deviceId: newId(), eventId: newId(), description });
    };
    const account = fixtures(AccessAccounts).valid['active'] as AccessAccountChanged;
    await producer.send(accounts, { ...account, tier: 'free' });
    await Promise.all([consumer.start(), reader.start()]);
    expect(reader.get(account.accountId)).toBe('free');
    await send('before');
    await eventually(() => expect(seen).toContain('before'));
    await away();
    await Promise.all([send('after'), producer.send(accounts, { ...account, tier: 'commercial' })]);
    await Promise.all([
      eventually(() => expect(seen).toContain('after'), { timeoutMs: soonMs }),
      eventually(() => expect(reader.get(account.accountId)).toBe('commercial'), { timeoutMs: soonMs }),
    ]);
    await Promise.all([consumer.stop(), reader.stop()]);
  });
});
