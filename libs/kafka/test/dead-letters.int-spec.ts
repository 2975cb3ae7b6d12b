import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deadLetterTopic, DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually, type Isolation, isolate } from '@lanyard/testing';
import kafkajs from 'kafkajs';
import { messageBytesMax } from '../src/connection/topic-settings.js';
import { BatchConsumer, type KafkaConnection, KafkaProducer, PoisonMessage } from '../src/index.js';
import { testConnection } from './test-connection.js';

describe('dead letters of large messages', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;
  let consumer: BatchConsumer<DeviceEventReported> | undefined;

  beforeAll(async () => {
    isolation = await isolate('dead-letters');
    connection = testConnection(isolation, 1);
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await consumer?.stop();
    await producer?.disconnect();
    await connection?.close();
    await isolation?.drop();
  });

  it('the largest message that a topic takes becomes a dead letter, with its reason', async () => {
    const topic = { ...DeviceEvents, name: 'largest-poison' };
    await connection.ensureTopics([topic]);
    // What a record and its batch need themselves is less than 1,000 bytes.
    await producer.sendEncoded(topic, { key: newId(), value: Buffer.alloc(messageBytesMax - 1_000, 'x'), headers: {} });
    consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      raw: true,
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async ({ messages: [message] }) => {
        if (message) throw new PoisonMessage(message.offset, 'reason '.repeat(285));
      },
    });
    await consumer.start();
    const letters = async () => [...(await connection.offsets(deadLetterTopic('largest-poison', 'g'))).values()];
    await eventually(async () => expect(await letters()).toEqual([{ low: 0n, high: 1n }]));
  });

  it('a message that only its compression made small enough becomes a dead letter without its end', async () => {
    const topic = { ...DeviceEvents, name: 'compressed-poison' };
    await connection.ensureTopics([topic]);
    const foreign = connection.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await foreign.connect();
    await foreign.send({
      topic: connection.topicName(topic.name),
      compression: kafkajs.CompressionTypes.GZIP,
      messages: [{ key: newId(), value: Buffer.alloc(2 * messageBytesMax, 'x') }],
    });
    await foreign.disconnect();
    const own = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async () => undefined,
    });
    await own.start();
    try {
      const letters = async () => [...(await connection.offsets(deadLetterTopic(topic.name, 'g'))).values()];
      await eventually(async () => expect(await letters()).toEqual([{ low: 0n, high: 1n }]));
    } finally {
      await own.stop();
    }
  });

  it('a topic of dead letters that was made for smaller ones takes large ones', async () => {
    const admin = connection.kafka.admin();
    await admin.connect();
    const name = connection.topicName(deadLetterTopic('small-letters', 'g'));
    const configEntries = [{ name: 'max.message.bytes', value: String(messageBytesMax) }];
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 1, configEntries }], waitForLeaders: false });
    await connection.ensureDeadLetters('small-letters', 'g');
    // A broker applies a setting a moment after it has confirmed it.
    const bytesMax = async (): Promise<number> => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name }] });
      const size = resources[0]?.configEntries.find(({ configName }) => configName === 'max.message.bytes');
      return Number(size?.configValue);
    };
    await eventually(async () => expect(await bytesMax()).toBeGreaterThan(messageBytesMax));
    await admin.disconnect();
  });

  it('a topic of dead letters that was deleted is created again', async () => {
    const topic = { ...DeviceEvents, name: 'deleted-letters' };
    const letters = deadLetterTopic(topic.name, 'g');
    await connection.ensureTopics([topic]);
    const own = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async () => undefined,
    });
    // A client that looks for a topic cannot create others until it has found it.
    const other = testConnection(isolation, 1);
    await own.start();
    try {
      const admin = other.kafka.admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [other.topicName(letters)] });
      await eventually(async () => expect(await admin.listTopics()).not.toContain(other.topicName(letters)));
      await admin.disconnect();
      await producer.sendEncoded(topic, { key: newId(), value: Buffer.from('?'), headers: {} });
      await eventually(async () => expect((await other.offsets(letters)).get(0)?.high).toBeGreaterThan(0n));
    } finally {
      await own.stop();
      await other.close();
    }
  });
});
