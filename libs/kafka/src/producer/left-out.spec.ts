import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import type { Producer, RecordMetadata } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { KafkaProducer } from './kafka-producer.js';
import { partitionOf } from '../kafkajs/partitioner.js';
import { replaceParts } from '../kafkajs/replacements.js';

replaceParts();

const createProducer = createRequire(import.meta.url)('kafkajs/src/producer/index.js') as (options: object) => Producer;

interface Requested {
  topicData: { topic: string; partitions: { partition: number; messages: unknown[] }[] }[];
}

const topic = 'values';
const partitions = [0, 1];

const movedAway = new kafkajs.KafkaJSProtocolError(
  Object.assign(new Error('NOT_LEADER_OR_FOLLOWER'), { type: 'NOT_LEADER_FOR_PARTITION', code: 6, retriable: true }),
);

/** Two brokers as kafkajs sees them. Broker 2 leads partition 1 until it is asked to store something: then broker 1 does. */
class TwoBrokers {
  readonly stored: number[] = [];
  readonly targetTopics = new Set([topic]);
  readonly retry = { retries: 3, initialRetryTime: 1 };
  private readonly leaders = new Map([
    [0, 1],
    [1, 2],
  ]);
  private readonly brokers = [1, 2].map((nodeId) => ({
    nodeId,
    produce: (request: Requested) => this.produce(nodeId, request),
  }));

  isConnected = (): boolean => true;
  connect = (): Promise<void> => Promise.resolve();
  disconnect = (): Promise<void> => Promise.resolve();
  addMultipleTargetTopics = (): Promise<void> => Promise.resolve();
  refreshMetadata = (): Promise<void> => Promise.resolve();
  refreshMetadataIfNecessary = (): Promise<void> => Promise.resolve();
  findBroker = ({ nodeId }: { nodeId: string }): object => this.brokers[Number(nodeId) - 1] as object;

  findTopicPartitionMetadata = (): object[] =>
    partitions.map((partitionId) => ({ partitionId, leader: this.leaders.get(partitionId) }));

  findLeaderForPartitions = (_topic: string, wanted: string[]): Record<number, number[]> => {
    const byLeader: Record<number, number[]> = {};
    for (const partition of wanted.map(Number))
      (byLeader[this.leaders.get(partition) as number] ??= []).push(partition);
    return byLeader;
  };

  private async produce(nodeId: number, { topicData }: Requested): Promise<{ topics: object[] }> {
    if (nodeId === 2) {
      // Broker 1 has answered by then.
      await new Promise((resolve) => setImmediate(resolve));
      this.leaders.set(1, 1);
      throw movedAway;
    }
    const answers: Partial<RecordMetadata>[] = [];
    for (const { partition } of topicData.flatMap((data) => data.partitions)) {
      this.stored.push(partition);
      answers.push({ partition, errorCode: 0 });
    }
    return { topics: [{ topicName: topic, partitions: answers }] };
  }
}

const producerOn = (cluster: TwoBrokers): KafkaProducer => {
  const silent = { namespace: () => silent, debug: () => undefined, error: () => undefined, warn: () => undefined };
  const connection = {
    kafka: { producer: (options: object) => createProducer({ ...options, cluster, logger: silent }) },
    logger: createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    topicName: (name: string) => name,
    awaiting: (_: string, work: Promise<unknown>) => work,
  };
  return new KafkaProducer(connection as unknown as KafkaConnection, { source: 'test' });
};

const keyOf = (partition: number): string =>
  Array.from({ length: 100 }, (_, n) => `key ${n}`).find((key) => partitionOf(key, partitions.length) === partition) ??
  '';

it.each([
  ['whose partitions were not known yet', 0],
  ['in bundles', 1],
])(
  'messages %s are stored though the leader of one partition moves to a broker that has answered',
  async (_, before) => {
    const cluster = new TwoBrokers();
    const producer = producerOn(cluster);
    await producer.connect();
    const send = (partition: number): Promise<void> =>
      producer.sendTo(topic, { key: keyOf(partition), value: Buffer.from('x'), headers: {} });
    for (let n = 0; n < before; n++) await send(0);
    cluster.stored.length = 0;
    await Promise.all(partitions.map(send));
    expect(cluster.stored).toEqual(partitions);
    await producer.disconnect();
  },
);
