import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually, type Isolation, isolate } from '@lanyard/testing';
import { BatchConsumer, type KafkaConnection, KafkaProducer } from '../src/index.js';
import { event } from './event.js';
import { testConnection } from './test-connection.js';

const longMs = 60_000;

/** Half the session of a member: one that has not left is still in its group. */
const soonMs = 15_000;

describe('the interval between two fetches', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;

  beforeAll(async () => {
    isolation = await isolate('fetch-interval');
    connection = testConnection(isolation, 1);
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });
  afterAll(async () => {
    await producer?.disconnect();
    await connection?.close();
    await isolation?.drop();
  });

  const setUp = async (name: string, fetchIntervalMs: number) => {
    const topic = { ...DeviceEvents, name };
    await connection.ensureTopics([topic]);
    const batches: (string | undefined)[][] = [];
    const consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      fetchIntervalMs,
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async ({ messages }) => void batches.push(messages.map(({ value }) => value.description)),
    });
    return { topic, batches, consumer };
  };

  it('brings what arrives meanwhile together, and the first message at once', async () => {
    const intervalMs = 6_000;
    const { topic, batches, consumer } = await setUp('together', intervalMs);
    await consumer.start();
    const deviceId = newId();
    const fromMs = performance.now();
    await producer.send(topic, event(deviceId, 0));
    await eventually(() => batches.length === 1);
    for (let n = 1; n < 20; n++) await producer.send(topic, event(deviceId, n));
    const intervalsPassed = Math.floor((performance.now() - fromMs) / intervalMs);
    await eventually(() => batches.flat().length === 20);
    await consumer.stop();
    expect(batches[0]).toHaveLength(1);
    // One for the others, and one for each interval in which a slow machine was still sending.
    expect(batches.length - 1).toBeLessThanOrEqual(1 + intervalsPassed);
  });

  it('does not slow down a consumer that is behind', async () => {
    const { topic, batches, consumer } = await setUp('behind', longMs);
    const long = 'x'.repeat(1_000);
    const sent = Array.from({ length: 2_000 }, (_, n) => ({ ...event(newId(), n), description: `${n} ${long}` }));
    await Promise.all(sent.map((one) => producer.send(topic, one)));
    await consumer.start();
    await eventually(() => batches.flat().length === sent.length);
    await consumer.stop();
    expect(batches.length).toBeGreaterThan(1);
  });

  it('ends when the consumer stops', async () => {
    const { topic, batches, consumer } = await setUp('stop', longMs);
    await consumer.start();
    await producer.send(topic, event(newId(), 0));
    await eventually(() => batches.length === 1);
    const fromMs = performance.now();
    await consumer.stop();
    expect(performance.now() - fromMs).toBeLessThan(longMs / 2);
    // Kafka may take longer than the stop waits for it.
    const admin = connection.kafka.admin();
    await admin.connect();
    const hasLeft = async (): Promise<void> => {
      const { groups } = await admin.describeGroups([connection.topicName('g.stop')]);
      expect(groups.map(({ members }) => members)).toEqual([[]]);
    };
    await eventually(hasLeft, { timeoutMs: soonMs });
    await admin.disconnect();
  });
});
