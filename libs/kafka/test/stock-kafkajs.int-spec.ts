import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, eventually, type Isolation, isolate } from '@lanyard/testing';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '../src/index.js';
import { event } from './event.js';

describe('kafkajs with no part replaced', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;

  beforeAll(async () => {
    isolation = await isolate('stock');
    connection = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: 'test',
      topicPrefix: isolation.topicPrefix,
      partitions: 4,
      logger: createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
      replacements: 'none',
    });
  });
  afterAll(async () => {
    await connection?.close();
    await isolation?.drop();
  });

  it('carries messages with their headers, in order', async () => {
    const topic = { ...DeviceEvents, name: 'stock' };
    await connection.ensureTopics([topic]);
    const producer = new KafkaProducer(connection, { source: 'test', name: 'stock' });
    await producer.connect();
    await expect(producer.takeOver()).rejects.toThrow('only in bundles');
    const [deviceId, count] = [newId(), 50];
    await Promise.all(Array.from({ length: count }, (_, n) => producer.send(topic, event(deviceId, n))));
    await producer.disconnect();
    const seen: [number, string | undefined][] = [];
    const consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async ({ messages }) =>
        void seen.push(
          ...messages.map(({ value, headers }): [number, string | undefined] => [
            Number(value.description),
            headers.get('ce_source'),
          ]),
        ),
    });
    await consumer.start();
    await eventually(() => seen.length === count);
    await consumer.stop();
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => [n, 'test']));
  });
});
