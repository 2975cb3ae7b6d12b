import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures } from '@lanyard/contracts';
import { type Isolation, isolate } from '@lanyard/testing';
import { ConsumerCluster } from '../src/kafkajs/consumer-cluster.js';
import { type KafkaConnection, KafkaProducer } from '../src/index.js';
import { testConnection } from './test-connection.js';

/** A consumer that waits for the broker's answer is not done after half of this. */
const fetchWaitMs = 120_000;

describe('a consumer whose fetch the broker keeps', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;

  beforeAll(async () => {
    isolation = await isolate('cluster');
    connection = testConnection(isolation, 4);
    await connection.ensureTopics([DeviceEvents]);
    const producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
    await producer.send(DeviceEvents, fixtures(DeviceEvents).valid['client code'] as DeviceEventReported);
    await producer.disconnect();
  });

  afterAll(async () => {
    await connection?.close();
    await isolation?.drop();
  });

  it.each([
    ['after it was written', 100],
    ['before it is written', 0],
  ])('leaves its group and disconnects without waiting for the answer, told to %s', async (_, afterMs) => {
    const own = new ConsumerCluster();
    const groupId = connection.topicName(`kept-${afterMs}`);
    const { kafka } = connection;
    const consumer = kafka.consumer({ groupId, partitionAssigners: [own.assigner], maxWaitTimeInMs: fetchWaitMs });
    await consumer.connect();
    await consumer.subscribe({ topic: connection.topicName(DeviceEvents.name), fromBeginning: true });
    // The first one brings what is there; nothing has to be found out before the second one is written.
    let fetches = 0;
    const disconnected = new Promise<number>((resolve, reject) => {
      const disconnect = async (): Promise<void> => {
        const begun = Date.now();
        await own.disconnect(consumer);
        resolve(Date.now() - begun);
      };
      consumer.on(consumer.events.FETCH_START, () => {
        if (++fetches !== 2) return;
        if (afterMs === 0) disconnect().catch(reject);
        else setTimeout(() => void disconnect().catch(reject), afterMs);
      });
    });
    await consumer.run({ eachBatch: async () => undefined });
    expect(await disconnected).toBeLessThan(fetchWaitMs / 2);
    const admin = kafka.admin();
    await admin.connect();
    const { groups } = await admin.describeGroups([groupId]);
    await admin.disconnect();
    expect(groups.map(({ state, members }) => [state, members])).toEqual([['Empty', []]]);
  });
});
