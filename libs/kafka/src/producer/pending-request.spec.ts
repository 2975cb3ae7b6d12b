import { expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import type { TopicMessages } from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { messageBytesMax } from '../connection/topic-settings.js';
import { KafkaProducer } from './kafka-producer.js';

it('a message that would make a request too large for its topic goes with the next one', async () => {
  const requests: number[][] = [];
  const producer = {
    sendBatch: async ({ topicMessages }: { topicMessages: TopicMessages[] }) => {
      requests.push(topicMessages.flatMap(({ messages }) => messages.map(({ value }) => value?.length ?? 0)));
      return topicMessages.map(({ topic }) => ({ topicName: topic }));
    },
  };
  const connection = {
    kafka: { producer: () => producer },
    logger: createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  } as unknown as KafkaConnection;
  const sender = new KafkaProducer(connection, { source: 'test', paceMs: 60_000 });
  const largest = messageBytesMax - 65_536;
  const send = (bytes: number): Promise<void> =>
    sender.sendTo('topic', { key: 'k', value: Buffer.alloc(bytes), headers: {} });
  await Promise.all(Array.from({ length: 16 }, () => send(10)));
  // No request waits for more messages if others have gone into one behind it.
  await Promise.all([500_000, largest].map(send));
  expect(requests.slice(1)).toEqual([[500_000], [largest]]);
});
