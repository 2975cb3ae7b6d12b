import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures, type Topic } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually, type Isolation, isolate } from '@lanyard/testing';
import type { Admin } from 'kafkajs';
import { BatchConsumer, type Batch, type KafkaConnection, KafkaProducer } from '../src/index.js';
import { testConnection } from './test-connection.js';

/** How long the broker holds a fetch here when there is nothing new. */
const fetchWaitMs = 120_000;
/** Half the time for which a group waits for a member: who waits for that, or for a fetch, is not done by then. */
const soonMs = 30_000;

const topic: Topic<DeviceEventReported> = { ...DeviceEvents, name: 'fetch-abort' };
const fact = fixtures(DeviceEvents).valid['client code'] as DeviceEventReported;

describe('a consumer whose fetch is held by the broker', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  let admin: Admin;
  let producer: KafkaProducer;

  beforeAll(async () => {
    isolation = await isolate('fetch-abort');
    connection = testConnection(isolation, 4);
    const { kafka } = connection;
    const newConsumer = kafka.consumer.bind(kafka);
    kafka.consumer = (config) => newConsumer({ ...config, maxWaitTimeInMs: fetchWaitMs });
    await connection.ensureTopics([topic]);
    admin = kafka.admin();
    await admin.connect();
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await producer?.disconnect();
    await admin?.disconnect();
    await connection?.close();
    await isolation?.drop();
  });

  const consume = async (
    group: string,
    handler: (batch: Batch<DeviceEventReported>) => Promise<void>,
    stored?: Map<number, bigint>,
  ): Promise<BatchConsumer<DeviceEventReported>> => {
    const consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group,
      handler,
      ...(stored && { positions: { read: async () => new Map(stored) } }),
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    await consumer.start();
    return consumer;
  };

  /** The first fetches have brought what there was, and the next ones are held. */
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_500));

  it('joins a new generation of its group at once', async () => {
    const first = await consume('rebalance', async () => undefined);
    await settled();
    const begun = performance.now();
    const second = await consume('rebalance', async () => undefined);
    expect(performance.now() - begun).toBeLessThan(soonMs);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('receives from its new partitions when the other member leaves', async () => {
    const received = new Set<number>();
    const staying = await consume('leave', async ({ partition }) => void received.add(partition));
    const leaving = await consume('leave', async () => undefined);
    await settled();
    await leaving.stop();
    // A message for one of its own partitions would end its fetch.
    const staysAlone = async (): Promise<void> => {
      const { groups } = await admin.describeGroups([connection.topicName(`leave.${topic.name}`)]);
      expect(groups.map(({ state, members }) => [state, members.length])).toEqual([['Stable', 1]]);
    };
    await eventually(staysAlone, { timeoutMs: soonMs });
    await eventually(async () => {
      await producer.send(topic, { ...fact, eventId: newId(), deviceId: newId() });
      expect(received.size).toBe(4);
    });
    await staying.stop();
  });

  it('reads again from the positions of its store at once', async () => {
    const stored = new Map<number, bigint>();
    const received: string[] = [];
    const handler = async ({ messages, partition }: Batch<DeviceEventReported>): Promise<void> => {
      stored.set(partition, 0n);
      received.push(...messages.map(({ value }) => value.eventId));
    };
    const consumer = await consume('seek', handler, stored);
    const eventId = newId();
    await producer.send(topic, { ...fact, eventId });
    await eventually(() => expect(received).toContain(eventId));
    await settled();
    received.length = 0;
    consumer.reseek();
    await eventually(() => expect(received).toContain(eventId), { timeoutMs: soonMs });
    await consumer.stop();
  });
});
