import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures, type Topic } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, type Isolation, isolate } from '@lanyard/testing';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '../src/index.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

/** Longer than a test may take: one that waits for the session to end, or for a member to join again, does not pass. */
const sessionMs = 1_200_000;

/** Joins the group and takes every partition it gets; says so. */
const member = `
  const { default: kafkajs } = await import('kafkajs');
  const [brokers, clientId, groupId, topic] = process.argv.slice(1);
  const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), clientId, logLevel: 0 });
  const times = { sessionTimeout: ${sessionMs}, rebalanceTimeout: ${sessionMs}, heartbeatInterval: 1000 };
  const consumer = kafka.consumer({ groupId, ...times });
  consumer.on(consumer.events.GROUP_JOIN, () => console.log('joined'));
  await consumer.connect();
  await consumer.subscribe({ topic });
  await consumer.run({ eachMessage: async () => undefined });
`;

describe('a process that was killed', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;
  let topic: Topic<DeviceEventReported>;
  let consumer: BatchConsumer<DeviceEventReported>;
  let process_: ChildProcess;
  const seen = new Set<number>();

  beforeAll(async () => {
    isolation = await isolate('membership');
    connection = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: 'service-0',
      topicPrefix: isolation.topicPrefix,
      partitions: 4,
      logger,
    });
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await producer.disconnect();
    await connection.close();
    await isolation.drop();
  });

  beforeEach(async () => {
    topic = { ...DeviceEvents, name: newId() };
    await connection.ensureTopics([topic]);
    seen.clear();
  });

  afterEach(async () => {
    process_.kill('SIGKILL');
    await consumer.stop();
  });

  const startOther = async (clientId: string): Promise<void> => {
    const groupId = connection.topicName(`g.${topic.name}`);
    const args = [infrastructure().brokers.join(','), clientId, groupId, connection.topicName(topic.name)];
    process_ = spawn(process.execPath, ['--input-type=module', '-e', member, ...args]);
    const said = createInterface({ input: process_.stdout as NodeJS.ReadableStream });
    await new Promise((joined) => said.once('line', joined));
  };

  const startOurs = async (): Promise<void> => {
    consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      isOnlyOfItsName: true,
      handler: async ({ messages }) => messages.forEach(({ value }) => seen.add(Number(value.description))),
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    await consumer.start();
  };

  const values = async (): Promise<void> => {
    const base = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        producer.send(topic, { ...base, deviceId: newId(), eventId: newId(), description: String(n) }),
      ),
    );
  };

  it('gets its partitions back when it starts again, not when its session ends', async () => {
    await startOther('service-0');
    process_.kill('SIGKILL');
    await startOurs();
    await values();
    await eventually(() => expect(seen.size).toBe(50));
  });

  it('gives its partitions to those who know that it is gone', async () => {
    await startOurs();
    await startOther('service-1');
    process_.kill('SIGKILL');
    await values();
    await consumer.evict('service-1');
    await eventually(() => expect(seen.size).toBe(50));
  });
});
