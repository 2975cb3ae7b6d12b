import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceModelChanged, DeviceModels, fixtures } from '@lanyard/contracts';
import { eventually, isolate, type Isolation } from '@lanyard/testing';
import { type KafkaConnection, KafkaProducer, ProducerFenced, type ProducerOptions } from '../src/index.js';
import { Bundles } from '../src/kafkajs/bundles.js';
import { newTerm } from '../src/kafkajs/producer-term.js';
import { testConnection } from './test-connection.js';

const value = fixtures(DeviceModels).valid['one resource'] as DeviceModelChanged;

describe('producers of one name', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    isolation = await isolate('producer-term');
    connection = testConnection(isolation, 1);
    await connection.ensureTopics([DeviceModels]);
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  afterAll(async () => {
    await connection?.close();
    await isolation?.drop();
  });

  const newProducer = async (options: Partial<ProducerOptions> = {}): Promise<KafkaProducer> => {
    const producer = new KafkaProducer(connection, { source: 'test', name: 'one', ...options });
    await producer.connect();
    ends.push(() => producer.disconnect());
    return producer;
  };

  const stored = async (): Promise<number> => Number((await connection.offsets(DeviceModels.name)).get(0)?.high);

  it('follow each other: only the last one that took over is heard', async () => {
    const [first, second] = [await newProducer(), await newProducer()];
    const before = await stored();
    for (const producer of [first, second, first]) {
      await producer.takeOver();
      await producer.send(DeviceModels, value);
      await producer.send(DeviceModels, value);
    }
    await expect(second.send(DeviceModels, value)).rejects.toThrow(/epoch/);
    expect(await stored()).toBe(before + 6);
  });

  it('do not send what waited when they take over', async () => {
    const producer = await newProducer({ paceMs: 500 });
    await producer.takeOver();
    await producer.send(DeviceModels, value);
    const before = await stored();
    const waiting = producer.send(DeviceModels, value);
    await Promise.all([expect(waiting).rejects.toThrow(ProducerFenced), producer.takeOver()]);
    expect([await stored(), producer.pending]).toEqual([before, 0]);
    await producer.send(DeviceModels, value);
    expect(await stored()).toBe(before + 1);
  });

  it('store a request once that comes twice, since its answer was lost', async () => {
    const topic = connection.topicName(DeviceModels.name);
    const bundles = new Bundles();
    bundles.partitionCounts.set(topic, 1);
    const raw = connection.kafka.producer({ createPartitioner: bundles.partitioner });
    await raw.connect();
    ends.push(() => raw.disconnect());
    const before = await stored();
    const message = { key: 'k', value: null };
    const term = await newTerm(connection.kafka, connection.topicName('two'));
    const requests = [bundles.bundle(topic, [message, message], term), bundles.bundle(topic, [message], term)];
    for (const messages of [requests[0], requests[1], requests[0], requests[1]])
      await raw.sendBatch({ topicMessages: [{ topic, messages: messages ?? [] }], acks: -1 });
    await eventually(async () => expect(await stored()).toBe(before + 3));
  });
});
