import { expect, it } from '@jest/globals';
import { AccessAccounts } from '@lanyard/contracts';
import type { KafkaConnection } from '../connection/kafka-connection.js';
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
