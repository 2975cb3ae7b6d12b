import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, type Topic } from '@lanyard/contracts';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { eventually, infrastructure, type Isolation, isolate } from '@lanyard/testing';
import { BatchConsumer, type BatchHandler, KafkaConnection, KafkaProducer } from '../src/index.js';
import { event } from './event.js';
import { testConnection } from './test-connection.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

const partitions = 4;

describe('the lag of a consumer', () => {
  const topic: Topic<DeviceEventReported> = { ...DeviceEvents, name: 'lag' };
  let isolation: Isolation;
  let connection: KafkaConnection;
  let producer: KafkaProducer;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    isolation = await isolate('consumer-lag');
    connection = testConnection(isolation, partitions);
    await connection.ensureTopics([topic]);
    producer = new KafkaProducer(connection, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
    await producer?.disconnect();
    await connection?.close();
    await isolation?.drop();
  });

  /** Resolves to its metrics. */
  const startReplica = async (
    clientId: string,
    group = 'g',
    handler: BatchHandler<DeviceEventReported> = async () => undefined,
  ): Promise<Metrics> => {
    const metrics = new Metrics('test', clientId);
    const { topicPrefix } = isolation;
    const own = new KafkaConnection({ brokers: infrastructure().brokers, clientId, topicPrefix, logger, metrics });
    const consumer = new BatchConsumer<DeviceEventReported>(own, {
      topic,
      group,
      handler,
      onFatal: (error) => void expect(error).toBeUndefined(),
    });
    ends.push(() => own.close());
    ends.push(() => consumer.stop());
    await consumer.start();
    return metrics;
  };

  const partitionsIn = async (metrics: Metrics): Promise<number> =>
    (await metrics.registry.metrics()).match(/^lanyard_kafka_consumer_lag\{/gm)?.length ?? 0;

  it('is reported by the replica that has the partition, and not by the previous one', async () => {
    const one = await startReplica('one');
    await Promise.all(Array.from({ length: 50 }, (_, n) => producer.send(topic, event(newId(), n))));
    await eventually(async () => expect(await partitionsIn(one)).toBe(partitions));
    await startReplica('two');
    await eventually(async () => expect(await partitionsIn(one)).toBe(partitions / 2));
  });

  const lagIn = async (metrics: Metrics): Promise<number> =>
    [...(await metrics.registry.metrics()).matchAll(/^lanyard_kafka_consumer_lag\{.*\} (\d+)$/gm)].reduce(
      (sum, [, lag]) => sum + Number(lag),
      0,
    );

  it('counts the batch that is being handled, also the first one', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => producer.send(topic, event(newId(), n))));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const metrics = await startReplica('held', 'held', () => released);
    await eventually(async () => expect(await lagIn(metrics)).toBeGreaterThan(0));
    release();
    await eventually(async () => {
      expect(await partitionsIn(metrics)).toBe(partitions);
      expect(await lagIn(metrics)).toBe(0);
    });
  });
});
