import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessAccounts,
  decodeMessage,
  DeviceEvents,
  type DeviceEventReported,
  deadLetterTopic,
  type Topic,
  type WritableMessage,
} from '@lanyard/contracts';
import { createLogger, newId, openDatabase } from '@lanyard/service';
import { infrastructure, eventually, type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import {
  type Batch,
  BatchConsumer,
  type BatchConsumerOptions,
  KafkaConnection,
  KafkaProducer,
  Outbox,
  OutboxRelay,
  outboxTable,
  PoisonMessage,
  recordHeaders,
} from '../src/index.js';
import { deadLetterHeaders } from '../src/consumer/dead-letters.js';
import { event } from './event.js';
import { testConnection } from './test-connection.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

const numbers = (batch: Batch<DeviceEventReported>): number[] => batch.messages.map((m) => Number(m.value.description));

describe('libs/kafka on a real broker', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;
  const consumers: BatchConsumer<never>[] = [];

  const own = (name: string): Topic<DeviceEventReported> => ({ ...DeviceEvents, name });
  const consume = async <V>(
    options: Omit<BatchConsumerOptions<V>, 'onFatal' | 'group'> & { group?: string },
  ): Promise<BatchConsumer<V>> => {
    const consumer = new BatchConsumer(connection, {
      group: 'g',
      onFatal: (e) => void expect(e).toBeUndefined(),
      ...options,
    });
    consumers.push(consumer as unknown as BatchConsumer<never>);
    await consumer.start();
    return consumer;
  };

  beforeAll(async () => {
    isolation = await isolate('kafka');
    connection = testConnection(isolation, 4);
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await Promise.all(consumers.map((c) => c.stop()));
    await producer.disconnect();
    await connection.close();
    await isolation.drop();
  });

  it('creates topics once, also when replicas do it together', async () => {
    const topic = own('together');
    await Promise.all([
      connection.ensureTopics([topic]),
      connection.ensureTopics([topic]),
      connection.ensureTopics([topic]),
    ]);
    expect((await connection.offsets('together')).size).toBe(4);
  });

  it('a topic that was made for small messages takes large ones, and keeps its other settings', async () => {
    const topic = own('small');
    const admin = connection.kafka.admin();
    await admin.connect();
    const name = connection.topicName('small');
    const configEntries = [
      { name: 'max.message.bytes', value: '1000' },
      { name: 'retention.ms', value: '86400000' },
    ];
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 1, configEntries }], waitForLeaders: false });
    await connection.ensureTopics([topic]);
    // A broker applies a setting a moment after it has confirmed it.
    await eventually(() => producer.send(topic, { ...event(newId(), 1), data: { large: 'x'.repeat(1_400_000) } }));
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name }] });
    expect(resources[0]?.configEntries).toContainEqual(
      expect.objectContaining({ configName: 'retention.ms', configValue: '86400000' }),
    );
    await admin.disconnect();
  });

  it('a topic of state that was created by hand is compacted, as nothing else keeps the last value of each key', async () => {
    const topic = { ...AccessAccounts, name: 'by-hand' };
    const admin = connection.kafka.admin();
    await admin.connect();
    const name = connection.topicName(topic.name);
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 1 }], waitForLeaders: false });
    await connection.ensureTopics([topic]);
    await eventually(async () => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name }] });
      expect(resources[0]?.configEntries).toContainEqual(
        expect.objectContaining({ configName: 'cleanup.policy', configValue: 'compact' }),
      );
    });
    await admin.disconnect();
  });

  it('a broker alone: said once, and nothing that would keep it from writing is set', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const told = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: 'told',
      topicPrefix: isolation.topicPrefix,
      minInsyncReplicas: 2,
      logger: createLogger({ app: 'test', replicaId: 'test', level: 'warn', destination }),
    });
    await told.ensureTopics([own('alone-1')]);
    await told.ensureTopics([own('alone-2')]);
    await told.close();
    expect(lines.filter((line) => line.includes('topics have one replica'))).toHaveLength(1);
    await producer.send(own('alone-1'), event(newId(), 1));
  });

  it('a connection that is closed is not opened again', async () => {
    const closed = new KafkaConnection({ brokers: infrastructure().brokers, clientId: 'closed', logger });
    await closed.check();
    await closed.close();
    await expect(closed.check()).rejects.toThrow('closed');
    await expect(closed.deleteGroup('none')).rejects.toThrow('closed');
    await expect(closed.offsets('none')).rejects.toThrow('closed');
  });

  it('keeps the order of each key, in few requests and batches', async () => {
    const topic = own('order');
    await connection.ensureTopics([topic]);
    const devices = Array.from({ length: 5 }, () => newId());
    const seen = new Map<string, number[]>();
    await Promise.all(
      Array.from({ length: 2_000 }, (_, i) => producer.send(topic, event(devices[i % 5] as string, i))),
    );
    let batches = 0;
    await consume<DeviceEventReported>({
      topic,
      handler: async (batch) => {
        batches++;
        for (const { value } of batch.messages) {
          const deviceId = value.deviceId ?? '';
          seen.set(deviceId, [...(seen.get(deviceId) ?? []), Number(value.description)]);
        }
      },
    });
    await eventually(() => [...seen.values()].flat().length === 2_000);
    for (const list of seen.values()) expect(list).toEqual(list.toSorted((a, b) => a - b));
    expect(batches).toBeLessThan(200);
  });

  it('refuses to send what does not fit the topic', async () => {
    await expect(producer.send(own('order'), { ...event(newId(), 1), eventCode: 'free text' })).rejects.toThrow(
      /eventCode/,
    );
  });

  it('hands a failed batch over again, nothing skipped, and commits only what was handled', async () => {
    const topic = own('again');
    await connection.ensureTopics([topic]);
    const device = newId();
    const handled: number[] = [];
    let failures = 3;
    const consumer = await consume<DeviceEventReported>({
      topic,
      handler: async (batch) => {
        if (failures-- > 0) throw new Error('database away');
        handled.push(...numbers(batch));
      },
    });
    for (let n = 0; n < 5; n++) await producer.send(topic, event(device, n));
    await eventually(() => handled.length === 5);
    expect(handled).toEqual([0, 1, 2, 3, 4]);
    await consumer.stop();
    await producer.send(topic, event(device, 5));
    const later: number[] = [];
    await consume<DeviceEventReported>({ topic, handler: async (batch) => void later.push(...numbers(batch)) });
    await eventually(() => later.length > 0);
    expect(later).toEqual([5]);
  });

  it('a batch whose handler never succeeded comes again after a restart', async () => {
    const topic = own('restart');
    await connection.ensureTopics([topic]);
    let tries = 0;
    const failing = await consume<DeviceEventReported>({
      topic,
      handler: async () => {
        tries++;
        throw new Error('never');
      },
    });
    await producer.send(topic, event(newId(), 1));
    await eventually(() => tries > 1);
    await failing.stop();
    const handled: number[] = [];
    await consume<DeviceEventReported>({ topic, handler: async (batch) => void handled.push(...numbers(batch)) });
    await eventually(() => handled.length === 1);
  });

  it('poison and unreadable messages go to the dead letters with reason and offset, the partition moves on', async () => {
    const topic = own('poison');
    await connection.ensureTopics([topic]);
    const device = newId();
    await producer.send(topic, event(device, 1));
    await producer.sendEncoded(topic, { key: device, value: Buffer.from('{"not":"it"}'), headers: { ce_id: 'x' } });
    await producer.sendEncoded(topic, { key: device, value: Buffer.from([0xff, 0x00]), headers: {} });
    await producer.send(topic, event(device, 13));
    await producer.send(topic, event(device, 2));
    const handled: number[] = [];
    await consume<DeviceEventReported>({
      topic,
      handler: async (batch) => {
        const bad = batch.messages.find((m) => m.value.description === '13');
        if (bad) throw new PoisonMessage(bad.offset, 'thirteen');
        handled.push(...numbers(batch));
      },
    });
    await eventually(() => handled.length === 2);
    expect(handled).toEqual([1, 2]);
    const letters: { reason: string; offset: string; value: string; id: string | undefined }[] = [];
    const reader = connection.kafka.consumer({ groupId: `${isolation.topicPrefix}reader` });
    await reader.connect();
    await reader.subscribe({ topic: connection.topicName(deadLetterTopic('poison', 'g')), fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message }) => {
        const headers = recordHeaders(message);
        letters.push({
          reason: String(headers.get(deadLetterHeaders.reason)),
          offset: String(headers.get(deadLetterHeaders.offset)),
          value: String(message.value),
          id: headers.get('ce_id'),
        });
      },
    });
    await eventually(() => letters.length === 3);
    await reader.disconnect();
    expect(letters.map((l) => l.offset).toSorted()).toEqual(['1', '2', '3']);
    expect(letters.find((l) => l.offset === '1')).toMatchObject({
      value: '{"not":"it"}',
      id: 'x',
      reason: expect.stringContaining('eventId'),
    });
    expect(letters.find((l) => l.offset === '3')?.reason).toBe('thirteen');
  });

  it('a stored position wins over the committed one; reseek goes back to it', async () => {
    const topic = own('positions');
    await connection.ensureTopics([topic]);
    const device = newId();
    for (let n = 0; n < 10; n++) await producer.send(topic, event(device, n));
    const offsets = await connection.offsets('positions');
    const [partition] = [...offsets].find(([, o]) => o.high > 0n) as [number, unknown];
    let stored = 4n;
    let away = true;
    const handled: number[] = [];
    const consumer = await consume<DeviceEventReported>({
      topic,
      raw: false,
      positions: {
        read: async () => {
          if (away) {
            away = false;
            throw new Error('Redis is starting');
          }
          return new Map([[partition, stored]]);
        },
      },
      handler: async (batch) => void handled.push(...numbers(batch)),
    });
    await eventually(() => handled.includes(9));
    expect(handled).toEqual([4, 5, 6, 7, 8, 9]);
    handled.length = 0;
    stored = 7n;
    consumer.reseek();
    await eventually(() => handled.includes(9));
    expect(handled).toEqual([7, 8, 9]);
  });

  it('a store that is further than Kafka is asked again', async () => {
    const topic = own('shorter');
    await connection.ensureTopics([topic]);
    const device = newId();
    for (let n = 0; n < 3; n++) await producer.send(topic, event(device, n));
    const offsets = await connection.offsets('shorter');
    const [partition] = [...offsets].find(([, o]) => o.high > 0n) as [number, unknown];
    const stored = [1_000_000n];
    const handled: number[] = [];
    await consume<DeviceEventReported>({
      topic,
      raw: false,
      positions: { read: async () => new Map([[partition, stored.pop() ?? 0n]]) },
      handler: async (batch) => void handled.push(...numbers(batch)),
    });
    await eventually(() => handled.includes(2));
    expect(handled).toEqual([0, 1, 2]);
  });

  it('two members share the partitions; joining and leaving loses nothing', async () => {
    const topic = own('share');
    await connection.ensureTopics([topic]);
    const got = new Set<number>();
    const handler = async (batch: Batch<DeviceEventReported>): Promise<void> =>
      numbers(batch).forEach((n) => got.add(n));
    await consume<DeviceEventReported>({ topic, handler });
    let n = 0;
    const burst = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 200 }, () => producer.send(topic, event(newId(), n++))));
    };
    await burst();
    const second = await consume<DeviceEventReported>({ topic, handler });
    await burst();
    await second.stop();
    await burst();
    await eventually(() => got.size === 600);
  });

  describe('outbox', () => {
    const schema = 'announcing';
    let database: DataSource;
    const outbox = new Outbox(schema, 'test');

    beforeAll(async () => {
      database = await openDatabase({
        url: isolation.databaseUrl,
        schema,
        entities: [],
        migrations: [],
        applicationName: 'test',
      });
      await database.query(outboxTable);
    });
    afterAll(() => database.destroy());

    const relay = (send: KafkaProducer['sendEncoded']): OutboxRelay =>
      new OutboxRelay({ databaseUrl: isolation.databaseUrl, schema, producer: { sendEncoded: send }, logger });

    it('announces in order with two relays, one of which dies between sending and deleting; a rollback announces nothing', async () => {
      const topic = own('announced');
      await connection.ensureTopics([topic]);
      const device = newId();
      const handled: number[] = [];
      await consume<DeviceEventReported>({ topic, handler: async (batch) => void handled.push(...numbers(batch)) });
      let crashed = false;
      const failing = relay(async (t, m) => {
        await producer.sendEncoded(t, m);
        if (!crashed) {
          crashed = true;
          throw new Error('killed after sending');
        }
      });
      const other = relay((t, m) => producer.sendEncoded(t, m));
      failing.start();
      other.start();
      for (let n = 0; n < 50; n++)
        await database.transaction((manager) => outbox.append(manager, topic, event(device, n)));
      await database
        .transaction(async (manager) => {
          await outbox.append(manager, topic, event(device, 999));
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      // What was rolled back would come before this one.
      await database.transaction((manager) => outbox.append(manager, topic, event(device, 50)));
      await eventually(() => handled.includes(50));
      const first = [...new Set(handled)];
      expect(first).toEqual(Array.from({ length: 51 }, (_, n) => n));
      await Promise.all([failing.stop(), other.stop()]);
      const [{ n }] = (await database.query(`SELECT count(*)::int AS n FROM ${schema}.outbox_messages`)) as [
        { n: number },
      ];
      expect(n).toBe(0);
    });

    it('tombstones too, and values are checked before they are stored', async () => {
      const topic = own('announced');
      await expect(
        database.transaction((m) => outbox.append(m, topic, { ...event(newId(), 1), deviceId: 'x' })),
      ).rejects.toThrow(/deviceId/);
      await database.transaction((m) => outbox.appendTombstone(m, topic, 'gone'));
      const sent: WritableMessage['value'][] = [];
      const only = relay(async (_, message) => void sent.push(message.value));
      only.start();
      await eventually(() => sent.length === 1);
      await only.stop();
      expect(sent).toEqual([null]);
    });
  });

  it('what was sent is what the contract says', async () => {
    const topic = own('wire');
    await connection.ensureTopics([topic]);
    const sent = event(newId(), 1);
    await producer.send(topic, sent, { id: 'the-id' });
    const raw: { value: Buffer; id: string | undefined; type: string | undefined; parsed: unknown }[] = [];
    await consume<DeviceEventReported>({
      topic,
      raw: true,
      handler: async (batch) =>
        void raw.push(
          ...batch.messages.map((m) => ({
            value: m.raw,
            id: m.headers.get('ce_id'),
            type: m.headers.get('ce_type'),
            parsed: m.value as unknown,
          })),
        ),
    });
    await eventually(() => raw.length === 1);
    expect(raw[0]).toMatchObject({ id: 'the-id', type: topic.type, parsed: undefined });
    expect(decodeMessage(topic, raw[0]?.value ?? null)).toEqual(sent);
  });
});
