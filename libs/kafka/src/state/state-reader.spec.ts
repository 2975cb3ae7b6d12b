import { expect, it } from '@jest/globals';
import { AccessAccounts } from '@lanyard/contracts';
import { createLogger } from '@lanyard/service';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { UnreadableBatch } from '../kafkajs/unreadable-batch.js';
import { StateReader } from './state-reader.js';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('a reader of state that cannot start waits for nothing', async () => {
  const consumer = {
    events: {},
    on: () => undefined,
    connect: async () => {
      throw new Error('no broker');
    },
  };
  const connection = {
    clientId: 'test',
    topicName: (name: string) => name,
    kafka: { consumer: () => consumer },
    offsets: async () => new Map([[0, { low: 0n, high: 1n }]]),
    awaiting: (_: string, work: Promise<unknown>) => work,
  } as unknown as KafkaConnection;
  const reader = new StateReader(connection, AccessAccounts, { project: (value) => value });
  const before = timers();
  await expect(reader.start()).rejects.toThrow('no broker');
  expect(timers()).toBe(before);
});

it('a reader of state ends at a batch that cannot be decompressed, and says where it is', async () => {
  const messages = [new UnreadableBatch(Buffer.alloc(61), 2)];
  const batch = { partition: 3, messages, highWatermark: '1', lastOffset: () => '0' };
  const consumer = {
    events: {},
    on: () => undefined,
    connect: async () => undefined,
    subscribe: async () => undefined,
    run: ({ eachBatch }: { eachBatch: (payload: object) => Promise<void> }) => eachBatch({ batch }),
  };
  const connection = {
    clientId: 'test',
    topicName: (name: string) => name,
    kafka: { consumer: () => consumer },
    logger: createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    offsets: async () => new Map(),
    awaiting: (_: string, work: Promise<unknown>) => work,
  } as unknown as KafkaConnection;
  const reader = new StateReader(connection, AccessAccounts, { project: (value) => value });
  const reason = `${AccessAccounts.name}/3, offset 0: a batch compressed with Snappy`;
  await expect(reader.start()).rejects.toMatchObject({ message: expect.stringContaining(reason), retriable: false });
});
