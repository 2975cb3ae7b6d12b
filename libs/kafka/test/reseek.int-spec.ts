import { expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures, type Topic } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, isolate } from '@lanyard/testing';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '../src/index.js';

it('a batch that ends after the store was read again does not count: what the store lacks is handled again', async () => {
  const { topicPrefix, drop } = await isolate('reseek');
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const connection = new KafkaConnection({
    brokers: infrastructure().brokers,
    clientId: 'test',
    topicPrefix,
    partitions: 1,
    logger,
  });
  const topic: Topic<DeviceEventReported> = { ...DeviceEvents, name: 'reseek' };
  await connection.ensureTopics([topic]);
  const producer = new KafkaProducer(connection, { source: 'test' });
  await producer.connect();
  const base = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;
  await Promise.all(Array.from({ length: 5 }, () => producer.send(topic, { ...base, eventId: newId() })));
  const handled: bigint[][] = [];
  let finish = (): void => undefined;
  const consumer = new BatchConsumer<DeviceEventReported>(connection, {
    topic,
    group: 'g',
    // A store that lost what it was told: it says the same as before.
    positions: { read: async () => new Map([[0, 0n]]) },
    handler: async ({ messages }) => {
      handled.push(messages.map(({ offset }) => offset));
      if (handled.length === 1) await new Promise<void>((done) => (finish = done));
    },
    onFatal: (error) => void expect(error).toBeUndefined(),
  });
  await consumer.start();
  await eventually(() => expect(handled).toHaveLength(1));
  consumer.reseek();
  finish();
  await eventually(() => expect(handled.slice(1).flat()).toContain(0n));
  await consumer.stop();
  await producer.disconnect();
  await connection.close();
  await drop();
});
